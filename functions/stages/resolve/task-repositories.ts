// That a task run is granted no repository, permission or delivery that its seat has not.
import type { Finding } from '../../finding';
import type { Located, Repository, ResolvedSeat, Seat } from '../../model';
import { parseHost } from './hosts';
import { exceeds } from './task-excess';

/** Each repository with all its permissions within one grant of the seat; several together are not looked for. */
export function exceedingRepositories(run: Located<Seat>, parent: ResolvedSeat): Finding[] {
  const own = parent.seat.object.spec.access?.repositories ?? [];
  return (run.object.spec.access?.repositories ?? []).flatMap((wanted, index) =>
    wanted.repos.flatMap((repo, place) => {
      if (own.some((grant) => contains(grant, wanted, repo))) return [];
      const path = `spec.access.repositories[${index}].repos[${place}]`;
      return [exceeds(run, parent, path, `${inWords(wanted, repo)} is asked for`, allOf(own))];
    }),
  );
}

/** What the platform keeps to itself is less than what stands in the sandbox. */
const contains = (grant: Repository, wanted: Repository, repo: string): boolean =>
  grant.connection === wanted.connection &&
  hostOf(grant) === hostOf(wanted) &&
  grant.repos.includes(repo) &&
  (wanted.delivery !== 'sandbox' || grant.delivery === 'sandbox') &&
  Object.entries(wanted.permissions ?? {}).every(([name, level]) => permits(grant, name, level));

function permits({ permissions = {} }: Repository, name: string, level: 'read' | 'write'): boolean {
  const own = Object.hasOwn(permissions, name) ? permissions[name] : undefined;
  return own === level || own === 'write';
}

/** A host that cannot be read is told elsewhere, and equals only itself. */
function hostOf({ host }: Repository): string {
  const parsed = parseHost(host);
  return 'problem' in parsed ? host : parsed.host;
}

const allOf = (grants: readonly Repository[]): string[] =>
  grants.flatMap((grant) => grant.repos.map((repo) => inWords(grant, repo)));

function inWords({ connection, host, permissions = {}, delivery = 'platform' }: Repository, repo: string): string {
  const rights = Object.entries(permissions).map(([name, level]) => `${name} ${level}`);
  return `${host}/${repo} by "${connection}" (${[...rights, `delivery ${delivery}`].join(', ')})`;
}
