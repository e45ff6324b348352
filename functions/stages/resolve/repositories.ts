// Repository grants: that each names repositories on one host. Who holds the credentials changes nothing about that.
import { type Finding, report } from '../../finding';
import type { Located, Seat } from '../../model';
import { repositoryHostProblem } from './hosts';

/** The CRD says what a name is made of; a name of dots alone would be a step in the path of a request. */
export const checkRepositories = (seat: Located<Seat>): Finding[] =>
  (seat.object.spec.access?.repositories ?? []).flatMap(({ host, repos, delivery }, index) => {
    const path = `spec.access.repositories[${index}]`;
    return [...(delivery === 'sandbox' ? [] : checkHost(seat, host, path)), ...checkNames(seat, repos, path)];
  });

/** Hosts of repositories that are delivered into the sandbox are among those that the seat reaches, and judged there. */
function checkHost({ item }: Located<Seat>, host: string, path: string): Finding[] {
  const found = repositoryHostProblem(host);
  if (!found) return [];
  const { problem, ...proposed } = found;
  return [report('INVALID_HOST', item, `${path}.host`, `"${host}": ${problem}`, { value: host, ...proposed })];
}

const checkNames = ({ item }: Located<Seat>, repos: readonly string[], path: string): Finding[] =>
  repos.flatMap((value, index) => {
    if (!value.split('/').some((part) => /^\.+$/.test(part))) return [];
    const message = `"${value}" must be owner/name, neither of them dots alone`;
    return [report('INVALID_VALUE', item, `${path}.repos[${index}]`, message, { value })];
  });
