// A seat that claims a sandbox from its tier's warm pool: its pod is a shared template's, so that most of a Seat cannot act.
import { type Finding, report } from '../../finding';
import { digestOf } from '../../kubernetes/canonical-json';
import { listOf, recordOf } from '../../kubernetes/label-selector';
import type { Located, Outcome, ResolvedSeat, SandboxTemplate, Seat, SeatSpec, Trace } from '../../model';
import { DEFAULT_HEALTH } from './container';
import { egressOfTier, resolveEgress } from './egress';
import type { Context, SeatPart } from './seat';
import { templateOf } from './templates';
import type { SettledTier } from './tiers';

/** Fields that the template decides, and no claim can change without a cold start, which templates refuse. */
const FIELDS: readonly (readonly [path: string, read: (spec: SeatSpec) => unknown])[] = [
  ['spec.harness.command', ({ harness }) => harness.command],
  ['spec.harness.args', ({ harness }) => harness.args],
  ['spec.harness.env', ({ harness }) => harness.env],
  ['spec.harness.health', ({ harness }) => harness.health],
  ['spec.harness.config', ({ harness }) => harness.config],
  ['spec.harness.model.connection', ({ harness }) => harness.model?.connection],
  ['spec.harness.model.name', ({ harness }) => harness.model?.name],
  ['spec.resources', ({ resources }) => resources],
  ['spec.resourceClaims', ({ resourceClaims }) => resourceClaims],
  ['spec.workspace', ({ workspace }) => workspace],
  ['spec.access', ({ access }) => access],
  ['spec.files', ({ files }) => files],
  ['spec.tools', ({ tools }) => tools],
  ['spec.scheduling', ({ scheduling }) => scheduling],
  ['spec.imagePullSecrets', ({ imagePullSecrets }) => imagePullSecrets],
];

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** One finding for each field that is set and cannot act: a claim must not look as if it held. */
function checkClaimFields({ object: { spec }, item }: Located<Seat>, template: string | undefined): Finding[] {
  if (template === undefined) return []; // it has nothing to claim, which is told elsewhere
  return FIELDS.filter(([, read]) => !isEmpty(read(spec))).map(([path, read]) => {
    const message =
      `a SandboxClaim takes its pod from the template "${template}", which decides this; take it out, ` +
      'or give the seat a pod of its own with `workload: StatefulSet` or `Sandbox`';
    return report('UNSUPPORTED_BY_WORKLOAD', item, path, message, { value: read(spec) });
  });
}

/** Its egress is what the tier gives every pod: the template's own policy has to keep to it. */
export function resolveClaimSeat(
  seat: Located<Seat>,
  part: SeatPart,
  tier: SettledTier | undefined,
  { options, templates }: Pick<Context, 'options' | 'templates'>,
  trace: Trace | undefined,
): Outcome<ResolvedSeat> {
  const { access: _, ...spec } = seat.object.spec;
  const egress = resolveEgress({ ...seat, object: { ...seat.object, spec } }, tier, options, trace);
  const sandboxTemplate = templateOf(tier, part.namespace, templates);
  const subject = {
    ...part,
    ...NO_POD,
    image: spec.harness.image ?? '',
    imagePullPolicy: options.imagePullPolicy,
    adapter: spec.harness.adapter,
    platformURL: options.platformURL,
    egress: tier ? egressOfTier(tier, options) : [],
    nodeLabels: nodeLabelsOf(tier),
    sandboxTemplateName: tier?.object.spec.sandboxTemplateName,
    sandboxTemplate,
  };
  return {
    value: { ...subject, configRevision: claimRevision(subject) },
    findings: [
      ...checkClaimFields(seat, tier?.object.spec.sandboxTemplateName),
      ...checkInstructions(seat),
      ...checkImage(seat, sandboxTemplate),
      ...egress.findings,
    ],
  };
}

/** An image that a claim names is what its author believes to run. */
function checkImage({ object: { spec }, item }: Located<Seat>, template: SandboxTemplate | undefined): Finding[] {
  const { image } = spec.harness;
  const images = listOf(template?.podTemplate.spec?.containers).map((one) => recordOf(one).image);
  if (image === undefined || !template || images.includes(image)) return [];
  const message = `template "${template.name}" runs ${images.map((one) => `"${one}"`).join(', ')}: name that or leave it out`;
  const [proposed] = images;
  return [report('TEMPLATE_IMAGE_DIFFERS', item, 'spec.harness.image', message, { value: image, proposed })];
}

/** The API server takes 256 KiB of annotations together (k8s.io/apimachinery, api/validation/objectmeta.go); ours need little more. */
const MOST_BYTES = 248 * 1024;
function checkInstructions({ object: { spec }, item }: Located<Seat>): Finding[] {
  const bytes = Buffer.byteLength(spec.instructions ?? '');
  if (bytes <= MOST_BYTES) return [];
  const message = `the instructions have ${bytes} bytes; a SandboxClaim hands them on as an annotation, which takes ${MOST_BYTES}`;
  return [report('MANIFEST_TOO_LARGE', item, 'spec.instructions', message)];
}

/** The template has to ask for them; where its pods run is looked at all the same. */
const nodeLabelsOf = (tier: SettledTier | undefined): ResolvedSeat['nodeLabels'] =>
  Object.entries(tier?.object.spec.allowedNodeLabels ?? {})
    .map(([key, value]) => [key, String(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** In place of all that such a seat has not: nothing of it is rendered. */
const NO_POD = {
  rollout: 'OnDelete',
  imagePullSecrets: [],
  command: [],
  args: [],
  env: [],
  health: DEFAULT_HEALTH,
  resources: { limits: {} },
  resourceClaims: [],
  claim: { name: '', adopted: false, size: '', storageClassName: undefined, retain: false },
  shared: [],
  egressURL: '',
  tolerations: [],
  priorityClassName: undefined,
  files: [],
} as const;

/** Of what the claim itself says; all of it applies live. */
const claimRevision = (seat: Omit<ResolvedSeat, 'configRevision'>): string =>
  digestOf({
    organization: seat.organization,
    organizationID: seat.organizationID,
    key: seat.key,
    seatID: seat.seatID,
    tier: seat.tier?.name,
    adapter: seat.adapter,
    instructions: seat.seat.object.spec.instructions,
    providerTools: seat.providerTools,
    token: seat.token,
    sessionTTL: seat.sessionTTL,
    expiresAt: seat.expiresAt,
  });
