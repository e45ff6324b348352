// The scene of the tests: one stage for all of them, its Application and package, and how they look at objects.
import type { Live } from '../cluster';
import type { Manifest } from '../objects';
import { CONTROL_PLANE } from '../seat-package';
import { type Application, applicationOn, type Resource } from './application';
import { openStage, rendered, type Stage } from './stage';
import { type Watch, watch } from './watch';

/** Namespace of the seats, and the name of their Application. */
export const TEAM = 'team-argo';
export const PATH = 'agents/team';
export interface Scene extends Stage {
  readonly app: Application;
  readonly seen: Watch;
  /** Files of the package; undefined removes one. */
  commit(files: Readonly<Record<string, string | undefined>>): void;
  objects(): Manifest[];
}
let opened: Promise<Scene> | undefined;
export const scene = (): Promise<Scene> => (opened ??= open());
async function open(): Promise<Scene> {
  const stage = await openStage(TEAM);
  return {
    ...stage,
    app: applicationOn(stage.on, TEAM),
    seen: watch(stage.on, TEAM, ['networkpolicies', 'statefulsets']),
    commit: (files) =>
      void stage.git.commit(Object.fromEntries(Object.entries(files).map(([name, text]) => [`${PATH}/${name}`, text]))),
    objects: () => rendered(stage, PATH),
  };
}

export const isJob = ({ kind }: { kind: string }): boolean => kind === 'Job';
export const seatOf = ({ metadata }: Manifest): string | undefined => metadata.labels?.['steadmesh.io/seat'];
export const policyOf = async ({ on, objects }: Scene, seat: string): Promise<Live | undefined> => {
  const policy = objects().find((one) => one.kind === 'NetworkPolicy' && seatOf(one) === seat);
  return on.get('networkpolicy', policy?.metadata.name ?? '', TEAM);
};
export const live = ({ on }: Scene, { kind, apiVersion, metadata }: Manifest): Promise<Live | undefined> => {
  const [group = '', version] = apiVersion.split('/');
  return on.get(version === undefined ? kind : `${kind}.${version}.${group}`, metadata.name, metadata.namespace);
};
export const jobs = async ({ on }: Scene): Promise<string[]> =>
  (await on.list('jobs', CONTROL_PLANE, `seatplan.dev/probed-namespace=${TEAM}`)).map(({ metadata }) => metadata.name);
export const idOf = ({ group = '', kind, namespace = '', name }: Resource): string =>
  [group, kind, namespace, name].join('/');
