// Whose is what: which items of the package this run replaces, prunes, keeps, or must not touch.
import type { KubernetesObject } from '@kubernetes/client-node';
import { type Finding, report } from '../finding';
import { CONFIG_API, TIER_API } from '../kinds';
import type { Item, ObjectRef, Outcome } from '../model';
import { groupOf, OWNER_ANNOTATION, ownerOf, parseOwner } from '../owner';
import { annotation, PACKAGE_PATH } from './read/items';

export interface Accounts {
  /** Items that stay, in their order. */
  readonly kept: readonly Item[];
  /** The item that each rendered object replaces, by identity: its bookkeeping annotations live on. */
  readonly predecessors: ReadonlyMap<string, Item>;
}

/** Group, kind, namespace and name in one string; versions of a group name the same object. */
export const identityOf = ({ apiVersion, kind, namespace, name }: ObjectRef | Item): string =>
  `${groupOf(apiVersion)}/${kind}/${namespace ?? ''}/${name}`;

/** What names a rendered object. */
export const refOf = ({ apiVersion = '', kind = '', metadata }: KubernetesObject): ObjectRef => ({
  apiVersion,
  kind,
  name: metadata?.name ?? '',
  ...(metadata?.namespace ? { namespace: metadata.namespace } : {}),
});

/** A rendered object as `account` asks for it. */
export const wantedOf = ({ object, file }: { readonly object: KubernetesObject; readonly file: string }): Wanted => ({
  file,
  owner: object.metadata?.annotations?.[OWNER_ANNOTATION],
  ...refOf(object),
});

/** An object to render, its file below the folder of rendered files, and its owner annotation. */
export interface Wanted extends ObjectRef {
  readonly file?: string;
  readonly owner?: string | undefined;
}

/**
 * An item is ours only if its owner annotation names the item itself, so that an edited copy survives. Nothing is pruned
 * from a package that may be incomplete: what is missing from the input is not thereby deleted.
 */
export function account(items: readonly Item[], render: () => Iterable<Wanted>): Outcome<Accounts> {
  const candidates = items.filter(
    (item) => item.annotations[OWNER_ANNOTATION] !== undefined || RENDERED_KINDS.has(item.kind),
  );
  if (candidates.length === 0) return { value: { kept: items, predecessors: new Map() }, findings: [] };
  const wanted = [...render()];
  const identities = new Set(wanted.map(identityOf));
  const places = new Set(wanted.map((one) => placeOf(one, one.file)));
  const isComplete = completeness(items);
  const owners = items.filter(({ kind }) => kind === 'Seat' || kind === 'TaskRun');
  const inputs = new Set(owners.map((item) => ownerOf(item, item).split(' ')[0]));
  // An edit gives the probe of a namespace another Job, and the earlier one goes whether or not the package is complete.
  const rendered = new Set(wanted.map(({ owner = '' }) => ownerPart(owner)));
  const isInput = (owner: string): boolean => inputs.has(owner) || (isOfNamespace(owner) && rendered.has(owner));
  const predecessors = new Map<string, Item>();
  const findings: Finding[] = [];
  const dropped = new Set<Item>();
  for (const item of candidates) {
    const identity = identityOf(item);
    const verdict = wasMoved(item, places, isInput)
      ? 'drop'
      : judge(item, identities.has(identity), isComplete, isInput);
    if (verdict === 'drop') dropped.add(item);
    else if (verdict !== 'keep') findings.push(verdict);
    if (verdict === 'drop' && !predecessors.has(identity)) predecessors.set(identity, item);
  }
  return { value: { kept: items.filter((item) => !dropped.has(item)), predecessors }, findings };
}

const placeOf = ({ apiVersion, kind, name }: ObjectRef | Item, file = ''): string =>
  `${groupOf(apiVersion)}/${kind}/${name} ${file}`;

/**
 * Whether a later function gave an object of ours another namespace, and left its seat alone: it still stands in the file
 * that it was rendered into. Kept, it would return once more with every run.
 */
function wasMoved(item: Item, places: ReadonlySet<string>, isInput: (owner: string) => boolean): boolean {
  const parts = item.origin.file?.split('/') ?? [];
  const isInPlace = [1, 2].some((count) => places.has(placeOf(item, parts.slice(-count).join('/'))));
  return isInPlace && isOurs(item) && isInput(ownerText(item));
}

/** The owner's half of the owner annotation. */
const ownerText = ({ annotations }: Item): string => ownerPart(annotations[OWNER_ANNOTATION] ?? '');
const ownerPart = (annotation: string): string => annotation.split(' ')[0] ?? '';

/** Who owns objects that several seats share: they stand in other namespaces too, and outside of any. */
const SHARERS: readonly (readonly [pattern: RegExp, word: string])[] = [
  [new RegExp(`^${groupOf(CONFIG_API)}/ExpandSeats/[^/]+/probe$`), 'probe'],
  [new RegExp(`^${groupOf(CONFIG_API)}/ExpandSeats/[^/]+/guard$`), 'guard'],
  [new RegExp(`^${groupOf(TIER_API)}/TrustTier/`), 'tier'],
];
const sharer = (owner: string): string | undefined => SHARERS.find(([pattern]) => pattern.test(owner))?.[1];
/** Whose owner names the one namespace that it is for. */
const isOfNamespace = (owner: string): boolean => ['probe', 'guard'].includes(sharer(owner) ?? '');

const RENDERED_KINDS = new Set([
  'ServiceAccount',
  'ConfigMap',
  'NetworkPolicy',
  'PersistentVolumeClaim',
  'StatefulSet',
  'Sandbox',
  'SandboxTemplate',
  'SandboxWarmPool',
  'SandboxClaim',
  'Pod',
  'Namespace',
  'ResourceQuota',
  'Job',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'PriorityClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

function judge(
  item: Item,
  isWanted: boolean,
  isComplete: (item: Item) => boolean,
  isInput: (owner: string) => boolean,
): 'drop' | 'keep' | Finding {
  const owned = isOurs(item);
  if (isWanted && owned) return 'drop';
  if (isWanted) {
    return report(
      'NAME_TAKEN',
      item,
      'metadata.name',
      'a seat, its tier, its task runs or its probe renders an object of this kind and name, and this one is not its own; rename or remove it',
    );
  }
  if (!owned) return 'keep';
  const owner = ownerText(item);
  const isThere = isInput(owner);
  if (item.kind === 'PersistentVolumeClaim' && item.annotations['cli-utils.sigs.k8s.io/on-remove'] === 'keep') {
    const why = isThere ? `its seat (${owner}) has another workspace or none` : `its seat (${owner}) is gone`;
    return report(
      'WORKSPACE_ORPHANED',
      item,
      '',
      `${why}; the workspace claim is kept: delete this file to give the data up`,
    );
  }
  const word = sharer(owner) ?? (owner.includes('/TaskRun/') ? 'task run' : 'seat');
  if (
    sharer(owner) === undefined &&
    parseOwner(item.annotations[OWNER_ANNOTATION] ?? '')?.owner.namespace !== item.namespace
  ) {
    return report(
      'PRUNE_SKIPPED',
      item,
      'metadata.namespace',
      `its ${word} (${owner}) renders nothing into this namespace, so that this may be a copy: kept`,
    );
  }
  if (isThere || isComplete(item)) return 'drop';
  return report(
    'PRUNE_SKIPPED',
    item,
    '',
    `its ${word} (${owner}) is not in the input, and neither is the whole package: kept`,
  );
}

export function isOurs(item: Item): boolean {
  const owner = parseOwner(item.annotations[OWNER_ANNOTATION] ?? '');
  return (
    owner?.object.kind === item.kind &&
    owner.object.name === item.name &&
    owner.object.group === groupOf(item.apiVersion)
  );
}

/** kpt marks items so when it shows a function only some of a package's. */
const PARTIAL = ['internal.config.k8s.io/kpt-resource-id', 'internal.config.kubernetes.io/kpt-resource-id'];

/** A package is complete if its Kptfile is in the input and no selector hid anything. */
function completeness(items: readonly Item[]): (item: Item) => boolean {
  if (items.some((item) => annotation(item.annotations, PARTIAL) !== undefined)) return () => false;
  const packages = packagesOf(items);
  return (item) => packageFolder(item, packages) !== undefined;
}

const folderOf = ({ origin }: Item): string => origin.file?.split('/').slice(0, -1).join('/') ?? '';
const folderKey = ({ annotations }: Item, folder: string): string => `${annotations[PACKAGE_PATH] ?? ''}\0${folder}`;

/** Every folder that holds a Kptfile, by its key. */
const packagesOf = (items: readonly Item[]): ReadonlySet<string> =>
  new Set(items.filter(({ kind }) => kind === 'Kptfile').map((item) => folderKey(item, folderOf(item))));

/** The nearest folder above an item that holds a Kptfile; undefined: none is in the input. */
function packageFolder(item: Item, packages: ReadonlySet<string>): string | undefined {
  for (let folder = folderOf(item); ; folder = folder.split('/').slice(0, -1).join('/')) {
    if (packages.has(folderKey(item, folder))) return folder;
    if (folder === '') return undefined;
  }
}

/** Folder (with a trailing slash, or empty) of the package that an item belongs to, by the Kptfiles in the input. */
export function packageFolders(items: readonly Item[]): (item: Item) => string {
  const packages = packagesOf(items);
  return (item) => {
    const folder = packageFolder(item, packages);
    return folder ? `${folder}/` : '';
  };
}
