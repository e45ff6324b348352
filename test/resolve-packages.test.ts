// What the seats of a package owe each other: names, claims, files and Namespaces.
import type { Item, SeatSpec } from '../functions/model';
import { type Case, object, RUNSC, SEAT, seats, table } from './resolve-table';
import { seatWith } from './seats';

table('identity', {
  'one name in one namespace twice is a duplicate': {
    declared: seats(seatWith(SEAT), seatWith({ ...SEAT, key: 'other' })),
    findings: ['DUPLICATE_SEAT metadata.name', 'DUPLICATE_SEAT metadata.name'],
  },
  'one organization and key twice is a duplicate, in any namespace': {
    declared: seats(seatWith(SEAT), seatWith(SEAT, 'engineer', 'elsewhere')),
    findings: ['DUPLICATE_SEAT spec.key', 'DUPLICATE_SEAT spec.key'],
  },
  'one durable identity twice is a duplicate': {
    declared: seats(seatWith({ ...SEAT, seatID: 's-1' }, 'a'), seatWith({ ...SEAT, seatID: 's-1' }, 'b')),
    findings: ['DUPLICATE_SEAT spec.seatID', 'DUPLICATE_SEAT spec.seatID'],
  },
  'keys that read alike are different seats': {
    declared: seats(seatWith({ ...SEAT, key: 'a_b' }, 'one'), seatWith({ ...SEAT, key: 'a-b' }, 'two')),
    findings: [],
  },
  'two seats whose 8 digits collide are both told': {
    declared: seats(
      seatWith({ ...SEAT, key: 'lead-engineer-of-the-platform-team-number-1451' }, 'one'),
      seatWith({ ...SEAT, key: 'lead-engineer-of-the-platform-team-number-52249' }, 'two'),
    ),
    findings: ['NAME_COLLISION spec.key', 'NAME_COLLISION spec.key'],
  },
  'a seat must have a namespace': {
    declared: seats(seatWith(SEAT, 'engineer', '')),
    findings: ['NAMESPACE_MISSING metadata.namespace'],
  },
  'the options may give the namespace': {
    declared: seats(seatWith(SEAT, 'engineer', '')),
    options: { namespace: 'team-a' },
    findings: [],
  },
});

const pvc = (name: string, annotations: Record<string, string>, namespace = 'seats'): Item =>
  object('PersistentVolumeClaim', 'v1', { metadata: { name, namespace } }, annotations).item;
const adopt = (adoptClaim: string): Partial<SeatSpec> => ({ workspace: { adoptClaim } });
const share = (...shared: { claimName: string; mountPath: string }[]): Partial<SeatSpec> => ({ workspace: { shared } });
/** sha256("acme/lead_engineer") begins with ff9b99fb. */
const LEAD = seatWith({ ...SEAT, key: 'lead_engineer' }, 'lead');
const LEADS_CLAIM = 'ws-seat-lead-engineer-ff9b99fb';
table('workspaces', {
  'another seat’s workspace cannot be adopted': {
    declared: seats(seatWith({ ...SEAT, ...adopt(LEADS_CLAIM) }), LEAD),
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.adoptClaim'],
  },
  'another seat’s workspace cannot be shared': {
    declared: seats(seatWith({ ...SEAT, ...share({ claimName: LEADS_CLAIM, mountPath: '/lead' }) }), LEAD),
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.shared[0].claimName'],
  },
  'a claim of that name in another namespace is another claim': {
    declared: seats(seatWith({ ...SEAT, ...adopt(LEADS_CLAIM) }, 'engineer', 'elsewhere'), LEAD),
    findings: [],
  },
  'two seats cannot adopt one claim': {
    declared: seats(seatWith({ ...SEAT, ...adopt('old') }, 'a'), seatWith({ ...SEAT, ...adopt('old') }, 'b')),
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.adoptClaim', 'CLAIM_OF_OTHER_SEAT spec.workspace.adoptClaim'],
  },
  'nor can a StatefulSet and a Sandbox': {
    declared: seats(
      seatWith({ ...SEAT, ...adopt('old'), workload: 'Sandbox' }, 'a'),
      seatWith({ ...SEAT, ...adopt('old') }, 'b'),
    ),
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.adoptClaim', 'CLAIM_OF_OTHER_SEAT spec.workspace.adoptClaim'],
  },
  'a claim with another seat’s id cannot be adopted': {
    seat: adopt('old'),
    declared: { rest: [pvc('old', { 'steadmesh.io/seat-id': 'somebody', 'steadmesh.io/organization-id': 'acme' })] },
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.adoptClaim'],
  },
  'a claim with another organisation’s id cannot be adopted': {
    seat: adopt('old'),
    declared: { rest: [pvc('old', { 'steadmesh.io/seat-id': 'engineer', 'steadmesh.io/organization-id': 'evil' })] },
    findings: ['CLAIM_OF_OTHER_SEAT spec.workspace.adoptClaim'],
  },
  'a seat that takes over the ids takes over the claim': {
    seat: { ...adopt('old'), seatID: 'somebody' },
    declared: { rest: [pvc('old', { 'steadmesh.io/seat-id': 'somebody', 'steadmesh.io/organization-id': 'acme' })] },
    findings: [],
  },
  'a claim that nobody owns can be adopted': { seat: adopt('old'), declared: { rest: [pvc('old', {})] }, findings: [] },
  'a workspace must be above zero': {
    seat: { workspace: { size: '0' } },
    findings: ['INVALID_QUANTITY spec.workspace.size'],
  },
  'a workspace must be whole bytes': {
    seat: { workspace: { size: '5m' } },
    findings: ['INVALID_QUANTITY spec.workspace.size'],
  },
  ...Object.fromEntries(
    [
      '/seat',
      '/seat/home',
      '/var',
      '/var/run/steadmesh/',
      '/run/steadmesh',
      '/etc/steadmesh/manifest',
      '/data/../tmp',
      '/proc',
      '/usr//local/bin',
    ].map((mountPath): [string, Case] => [
      `a shared claim cannot be mounted at ${mountPath}`,
      {
        seat: share({ claimName: 'data', mountPath }),
        findings: ['MOUNT_PATH_RESERVED spec.workspace.shared[0].mountPath'],
      },
    ]),
  ),
  'a shared claim has its own place': { seat: share({ claimName: 'data', mountPath: '/seats' }), findings: [] },
  'two spellings of one path are one path': {
    seat: share({ claimName: 'a', mountPath: '/data' }, { claimName: 'b', mountPath: '/data/' }),
    findings: ['MOUNT_PATH_RESERVED spec.workspace.shared[1].mountPath'],
  },
});

const files = (...names: string[]): Partial<SeatSpec> => ({
  files: Object.fromEntries(names.map((name) => [name, 'x'])),
});
table('files', {
  'relative paths are fine': { seat: files('notes.md', 'src/a.ts', 'src/b/c.ts'), findings: [] },
  ...Object.fromEntries(
    [
      '/etc/passwd',
      '../up',
      'a/../b',
      './a',
      'a//b',
      'a/',
      '',
      'a b',
      'ä',
      '..data',
      'manifest.json',
      'instructions.md',
      `${'a'.repeat(254)}`,
    ].map((name): [string, Case] => [
      `"${name.slice(0, 20)}" is no file name`,
      {
        seat: files(name),
        findings: [
          `INVALID_FILE_NAME ${/^[A-Za-z_][\w-]*$/.test(name) ? `spec.files.${name}` : `spec.files[${JSON.stringify(name)}]`}`,
          ...(name === 'instructions.md' ? ['DUPLICATE_FILE spec.files["instructions.md"]'] : []),
        ],
      },
    ]),
  ),
  'two paths cannot have one key': {
    seat: files('a/b', 'a__b'),
    findings: ['DUPLICATE_FILE spec.files.a__b'],
  },
  'a file cannot be a folder too': {
    seat: files('a', 'a/b', 'manifest.json/x'),
    findings: ['DUPLICATE_FILE spec.files["a/b"]', 'DUPLICATE_FILE spec.files["manifest.json/x"]'],
  },
  'more than a ConfigMap holds is refused, counted in bytes': {
    seat: { instructions: 'ä'.repeat(524_288) },
    findings: ['MANIFEST_TOO_LARGE spec.files'],
  },
  'more than client-side apply can write is a warning': {
    seat: { instructions: 'x'.repeat(262_144) },
    findings: ['MANIFEST_LARGE spec.files'],
  },
});

const KEPT = {
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
};
const namespace = (name: string, annotations: Record<string, string> = {}) =>
  object('Namespace', 'v1', { metadata: { name } }, annotations);
table('namespaces', {
  'a Namespace that an engine may prune takes workspaces along': {
    related: [RUNSC, namespace('seats')],
    findings: ['NAMESPACE_PRUNABLE metadata.annotations'],
  },
  'a Namespace that every engine keeps is safe': { related: [RUNSC, namespace('seats', KEPT)], findings: [] },
  'a Namespace without seats is not our concern': { related: [RUNSC, namespace('other')], findings: [] },
  'a Namespace whose workspaces may go may go': {
    related: [RUNSC, namespace('seats')],
    seat: { workspace: { retention: 'Delete' } },
    findings: [],
  },
});
