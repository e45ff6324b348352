// The seat's claim and the claims that it shares: sizes, mount paths, and that none of them is another seat's.
import { posix } from 'node:path';
import { type Finding, report } from '../../finding';
import { isWhole, parseQuantity } from '../../kubernetes/quantity';
import type { Declared, Item, Located, Outcome, ResolvedSeat, Seat } from '../../model';
import { claimName, isClaimName } from '../../names';
import { groupBy } from './grouping';
import type { Identity } from './identity';

type WorkspaceParts = Pick<ResolvedSeat, 'claim' | 'shared'>;

export const DEFAULT_SIZE = '5Gi';

/** Folders of the runner, the token and the manifest, and the kernel's own; `/run` is where `/var/run` leads. */
const RESERVED_PATHS = [
  '/seat',
  '/tmp',
  '/etc/steadmesh',
  '/var/run/steadmesh',
  '/run/steadmesh',
  '/usr/local/bin',
  '/proc',
  '/sys',
  '/dev',
];
const ORGANIZATION_ID = 'steadmesh.io/organization-id';
const SEAT_ID = 'steadmesh.io/seat-id';

/** Who holds which claim: workspaces of this package's seats, and claims in the package that name a seat. */
export interface Claims {
  readonly workspaces: ReadonlyMap<string, readonly Identity[]>;
  readonly objects: ReadonlyMap<string, readonly Item[]>;
}

const workspaceOf = ({ seat, name }: Identity): string => seat.object.spec.workspace?.adoptClaim ?? claimName(name);

export const claimsOf = (identities: readonly Identity[], { rest }: Declared): Claims => ({
  workspaces: groupBy(identities, (identity) => `${identity.namespace}/${workspaceOf(identity)}`),
  objects: groupBy(
    rest.filter(({ kind, apiVersion }) => kind === 'PersistentVolumeClaim' && apiVersion === 'v1'),
    ({ namespace = '', name }) => `${namespace}/${name}`,
  ),
});

/** An adopted claim is mounted and not rendered; of another claim only what the API server would store. */
export function resolveWorkspace(identity: Identity, claims: Claims): Outcome<WorkspaceParts> {
  const { seat } = identity;
  const {
    size = DEFAULT_SIZE,
    storageClassName,
    retention,
    adoptClaim,
    shared = [],
  } = seat.object.spec.workspace ?? {};
  const quantity = parseQuantity(size);
  const findings = checkMounts(shared, seat.item);
  if (!quantity || quantity.value <= 0n || !isWhole(quantity)) {
    const message = 'must be whole bytes above zero, such as 5Gi';
    findings.push(report('INVALID_QUANTITY', seat.item, 'spec.workspace.size', message, { value: size }));
  }
  const adopted = adoptClaim !== undefined;
  if (adopted) findings.push(...checkClaim(identity, adoptClaim, 'spec.workspace.adoptClaim', claims));
  for (const [index, { claimName: name }] of shared.entries()) {
    const path = `spec.workspace.shared[${index}].claimName`;
    const found = checkClaim(identity, name, path, claims);
    findings.push(...(found.length ? found : checkStranger(identity, name, path, claims)));
  }
  return {
    value: {
      claim: {
        name: workspaceOf(identity),
        adopted,
        size: quantity?.canonical ?? '',
        storageClassName,
        retain: retention !== 'Delete',
      },
      shared: shared.map(({ claimName: name, mountPath, readOnly = false }) => ({
        claimName: name,
        mountPath: cleanPath(mountPath),
        readOnly,
      })),
    },
    findings,
  };
}

function checkClaim(identity: Identity, name: string, path: string, claims: Claims): Finding[] {
  const other = claims.workspaces.get(`${identity.namespace}/${name}`)?.find((holder) => holder !== identity);
  const marked = objectsOf(identity, name, claims).some((item) => isMarkedForOther(item, identity));
  if (!other && !marked) return [];
  const message = other
    ? `claim "${name}" is the workspace of seat "${other.organization}/${other.key}"`
    : `claim "${name}" carries the ids of another seat; set \`organizationID\` and \`seatID\` to them to take its place`;
  return [report('CLAIM_OF_OTHER_SEAT', identity.seat.item, path, message, { value: name })];
}

/** A workspace by its name, and nothing here shows that it is this seat's: it belongs to a seat of another package. */
function checkStranger(identity: Identity, name: string, path: string, claims: Claims): Finding[] {
  const isOwn = name === workspaceOf(identity) || objectsOf(identity, name, claims).some(hasSeatID);
  if (isOwn || !isClaimName(name)) return [];
  const message = `by its name claim "${name}" is the workspace of a seat that is not in this package; share a claim of its own`;
  return [report('CLAIM_OF_OTHER_SEAT', identity.seat.item, path, message, { value: name })];
}

/** Claims of the package by that name, those included that get their namespace later. */
const objectsOf = ({ namespace }: Identity, name: string, { objects }: Claims): readonly Item[] => [
  ...(objects.get(`${namespace}/${name}`) ?? []),
  ...(objects.get(`/${name}`) ?? []),
];

const hasSeatID = ({ annotations }: Item): boolean => annotations[SEAT_ID] !== undefined;

function isMarkedForOther({ annotations }: Item, { organizationID, seatID }: Identity): boolean {
  const { [ORGANIZATION_ID]: organization, [SEAT_ID]: seat } = annotations;
  return (seat !== undefined && seat !== seatID) || (organization !== undefined && organization !== organizationID);
}

/** Absolute, without `..`, doubled or trailing slashes. */
const cleanPath = (path: string): string => posix.resolve('/', path);

const isWithin = (path: string, folder: string): boolean => folder === '/' || `${path}/`.startsWith(`${folder}/`);

function checkMounts(shared: readonly { readonly mountPath: string }[], item: Located<Seat>['item']): Finding[] {
  const taken = new Set<string>();
  return shared.flatMap(({ mountPath }, index) => {
    const path = cleanPath(mountPath);
    const reserved = RESERVED_PATHS.find((folder) => isWithin(path, folder) || isWithin(folder, path));
    const again = taken.has(path);
    taken.add(path);
    if (!reserved && !again) return [];
    const message = reserved
      ? `must not touch ${reserved}, which belongs to the seat contract or the kernel`
      : `another shared claim is mounted at ${path}`;
    return [
      report('MOUNT_PATH_RESERVED', item, `spec.workspace.shared[${index}].mountPath`, message, { value: mountPath }),
    ];
  });
}
