// The plan of a probe run: what to try for which seats, from their rendered manifests and the options. The Job reads it from a ConfigMap.
import type { V1NetworkPolicySpec, V1PersistentVolumeClaim, V1PodTemplateSpec } from '@kubernetes/client-node';
import type {
  CheckID,
  Coverage,
  Endpoint,
  Options,
  Plan,
  PlannedSeat,
  ProbeOptions,
  Profile,
  ResolvedSeat,
} from '../model';
import { coverageOf, type Field, type FieldReader, fieldReader, seenBy } from './fields';
import { proberName } from './identity';
import { plain } from './leaves';
import { profileDigest, seatDifferences } from './profile';

export { accountOf, policyOf, profileOf, templateOf } from './profile';

/** What is rendered for a seat and decides about its plan; `claim` only where one is rendered. */
export interface RenderedSeat {
  readonly template: V1PodTemplateSpec;
  readonly policy: V1NetworkPolicySpec;
  readonly claim?: V1PersistentVolumeClaim | undefined;
  /** Of a claimed sandbox, whose pod is a template's: see `Profile`. */
  readonly bounds?: V1NetworkPolicySpec;
  /** Where its pod is asked for its health; undefined: where the seat says. */
  readonly healthPort?: number | undefined;
}
type Render = (seat: ResolvedSeat) => RenderedSeat;

/** Name of the PriorityClass of a prober's pods; rendered where `probe.rbac` is `cluster`. */
export const priorityClassName = (prober: string): string => `seatplan-${prober}`;

/**
 * The plan for the seats of one namespace: JSON, seats by name, profiles by their first seat. `rendered` is called twice for
 * each seat and must give the same each time. It never throws: what earlier stages refuse gives a plan of which no check passes.
 */
export function planOf(namespace: string, seats: readonly ResolvedSeat[], options: Options, rendered: Render): Plan {
  const { mode: _, epoch: _epoch, ...probe } = options.probe;
  const prober = proberName(namespace);
  const denied = endpointOf(options.deniedURL);
  const sorted = [...seats].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const groups = groupsOf(sorted, rendered, fieldReader(options));
  const extra = extras(probe, denied);
  return plain<Plan>({
    version: 1,
    namespace,
    controlPlaneNamespace: options.controlPlaneNamespace,
    prober,
    image: options.probeImage,
    imagePullPolicy: options.imagePullPolicy,
    priorityClassName: probe.rbac === 'cluster' ? priorityClassName(prober) : undefined,
    fieldOwner: options.fieldOwner,
    options: probe,
    platform: {
      ...(endpointOf(options.platformURL) ?? { host: '', port: options.platformPort }),
      path: '/healthz',
      podPort: options.platformPort,
    },
    denied,
    profiles: groups.map((group) => profileOfGroup(group, extra)),
    seats: groups.flatMap((group) => plannedSeats(group, rendered)).sort((a, b) => (a.seat < b.seat ? -1 : 1)),
    coverage: coverage(groups, extra, probe),
  });
}

const nameOf = ({ seat }: ResolvedSeat): string => seat.item.name;

/** Seats of one profile. */
interface Group {
  readonly digest: string;
  readonly seats: readonly ResolvedSeat[];
  /** Whose manifest stands for all: the first that runs, else the first. */
  readonly first: ResolvedSeat;
  readonly base: RenderedSeat;
  readonly fields: readonly Field[];
}

function groupsOf(seats: readonly ResolvedSeat[], rendered: Render, reader: FieldReader): Group[] {
  const found = new Map<string, { seats: ResolvedSeat[]; fields: Set<Field> }>();
  for (const seat of seats) {
    const manifest = rendered(seat);
    const digest = profileDigest(seat, manifest);
    const group = found.get(digest) ?? { seats: [], fields: new Set() };
    group.seats.push(seat);
    for (const field of reader.fieldsOf(manifest)) group.fields.add(field);
    found.set(digest, group);
  }
  return [...found].map(([digest, { seats: members, fields }]) => {
    const first = members.find(({ replicas }) => replicas > 0) ?? members[0]!;
    return { digest, seats: members, first, base: rendered(first), fields: [...fields] };
  });
}

/** What is tried beyond the fields of manifests, where the options give something to try it with. */
const extras = (
  { canaries, dnsCanaryZone }: Pick<ProbeOptions, 'canaries' | 'dnsCanaryZone'>,
  denied: Endpoint | undefined,
): readonly Field[] => [
  {
    field: 'options.probe.canaries',
    rule:
      canaries.length > 0 || (denied && !isApiServer(denied))
        ? ['N7']
        : 'N7: no canary is configured: that the internet is denied was not tried',
  },
  {
    field: 'options.probe.dnsCanaryZone',
    rule:
      dnsCanaryZone === undefined ? 'N6: no zone is configured: that DNS carries nothing out was not tried' : ['N6'],
  },
];

/** The names that every cluster gives its API server. */
const isApiServer = ({ host }: Endpoint): boolean => /^kubernetes(?:\.default(?:\.svc(?:\..+)?)?)?\.?$/i.test(host);

/** Asked of every seat, whatever its fields. */
const ALWAYS: readonly CheckID[] = [
  ...(['U1', 'U2', 'N3', 'N10', 'N11', 'N12', 'N13', 'N14', 'N15', 'N18'] as const),
  ...(['S1', 'A1', 'A2', 'A4'] as const),
];

/** A check that this run cannot decide is asked for all the same: a seat must not pass because nobody could look. */
function profileOfGroup({ digest, first, base, fields }: Group, extra: readonly Field[]): Profile {
  const isolation = first.tier?.isolation;
  const asked = [...fields, ...extra].flatMap(({ rule }) => {
    const seen = seenBy(rule, { isolation, rbac: 'cluster' });
    return typeof seen === 'string' ? [] : seen;
  });
  const declared: readonly CheckID[] = [
    ...(isolation ? (['R1', 'R2'] as const) : []),
    ...(first.nodeLabels.length > 0 ? (['J1'] as const) : []),
    ...(first.sessionTTL === undefined ? [] : (['T1'] as const)),
  ];
  return {
    digest,
    tier: first.tier?.name,
    isolation,
    nodeLabels: first.nodeLabels,
    audience: first.token.audience,
    sessionTTL: first.sessionTTL,
    healthPort: base.healthPort ?? first.health.port,
    template: base.template,
    policy: base.policy,
    bounds: base.bounds,
    checks: [...new Set([...ALWAYS, ...declared, ...asked])].sort(),
  };
}

function plannedSeats({ digest, seats, base }: Group, rendered: Render): PlannedSeat[] {
  const shared = { template: plain(base.template), policy: plain(base.policy) };
  return seats.map((seat) => {
    const { organization, key, seatID, name, configRevision, rollout } = seat;
    const { name: claimName, adopted, retain } = seat.claim;
    const claim = { name: claimName, adopted, retain };
    const workload =
      seat.workload === 'StatefulSet' ? {} : { workload: { kind: seat.workload, name: seat.workloadName } };
    const identity = { seat: nameOf(seat), organization, key, seatID, name, configRevision, claim, ...workload };
    const running = seat.replicas > 0;
    return {
      ...identity,
      profile: digest,
      running,
      rollout,
      ...seatDifferences(shared, identity, rendered(seat)),
    };
  });
}

/** A field is verified where every profile that declares it has a check that can see it. */
const coverage = (groups: readonly Group[], extra: readonly Field[], { rbac }: Pick<ProbeOptions, 'rbac'>): Coverage =>
  coverageOf([
    ...extra,
    ...groups.flatMap(({ fields, first }) =>
      fields.map(({ field, rule }) => ({ field, rule: seenBy(rule, { isolation: first.tier?.isolation, rbac }) })),
    ),
  ]);

const SCHEME_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Host (an IPv6 address without brackets) and port of a URL, by default that of its scheme (none: http). undefined for what has none. */
function endpointOf(text: string): Endpoint | undefined {
  const url = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  const number = port === '' ? SCHEME_PORTS[protocol] : Number(port);
  return hostname === '' || number === undefined ? undefined : { host: hostname.replace(/^\[|\]$/g, ''), port: number };
}
