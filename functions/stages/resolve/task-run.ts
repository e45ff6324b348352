// One task run: its seat with what the run changes, taken through the same decisions as a seat, and never more than it.
import { type Finding, isError, report } from '../../finding';
import { digestOf } from '../../kubernetes/canonical-json';
import type { Located, Options, Outcome, ResolvedSeat, ResolvedTask, Seat, TaskRun } from '../../model';
import { shortDigest, taskLabel, taskName } from '../../names';
import { resolveContainer } from './container';
import { resolveEgress } from './egress';
import { checkSize, INSTRUCTIONS_FILE, MANIFEST_FILE, withOwnFiles } from './files';
import { manifestOf } from './manifest';
import { checkRepositories } from './repositories';
import { resolveResources } from './seat-resources';
import { checkTTL } from './session';
import { exceedingAccess } from './task-access';
import type { SettledTier } from './tiers';

export const INPUT_FILE = 'input.md';

/** As complete as its errors allow: to be rendered only when there are none. `parent` has none. */
export function resolveTask(
  task: Located<TaskRun>,
  parent: ResolvedSeat,
  tier: SettledTier | undefined,
  options: Options,
): Outcome<ResolvedTask> {
  const { item } = task;
  const { spec } = task.object;
  const findings: Finding[] = [];
  const take = <T>(outcome: Outcome<T>): T => {
    findings.push(...outcome.findings);
    return outcome.value;
  };
  const seat = changedSeat(task, parent);
  const egress = take(resolveEgress(seat, tier, options));
  const refused = new Set(findings.filter(isError).map(({ path }) => path));
  findings.push(...checkRepositories(seat), ...exceedingAccess(seat, parent).filter(({ path }) => !refused.has(path)));
  const container = take(resolveContainer(seat, options));
  const resources = spec.resources ? take(resolveResources(seat, tier, options)) : parent.resources;
  const sessionTTL = take(lifeOf(task, parent, tier));
  const digest = digestOfSpec(spec);
  const identity = { organization: parent.organization, parent: parent.key, run: item.name };
  const claims = new Set((resources.claims ?? []).map(({ name }) => name));
  const { workspace = 'none' } = spec;
  const { image, command, args, env, adapter } = container;
  const subject = {
    ...parent,
    ...{ task, parent, seat, image, command, args, env, adapter, resources, sessionTTL },
    name: taskName(identity, digest),
    label: taskLabel(identity),
    digest,
    resourceClaims: parent.resourceClaims.filter(({ name }) => claims.has(name)),
    shared: [],
    readsClaim: workspace === 'readOnly' ? parent.claim.name : undefined,
    egressURL: egress.usesGateway ? options.egressURL : '',
    egress: egress.rules,
    providerTools: seat.object.spec.harness.model?.providerTools,
    files: take(filesOf(task, parent)),
    // of nothing that an edit of the seat changes: the pod is immutable
    configRevision: digestOf({ organization: parent.organization, seat: parent.key, run: item.name, digest }),
  };
  const text = manifestOf(subject, egress, { run: item.name, digest, workspace });
  const value = { ...subject, files: [{ key: MANIFEST_FILE, path: MANIFEST_FILE, text }, ...subject.files] };
  // that a tier leaves no way to the platform is told at the seat
  const told = findings.filter(({ code }) => code !== 'PLATFORM_UNREACHABLE');
  return { value, findings: [...told, ...checkSize(value.files, item, 'spec.input')] };
}

/** The seat as it would be with the run's harness, access and resources, at the place where the run says so. */
function changedSeat({ object, item }: Located<TaskRun>, { seat, providerTools }: ResolvedSeat): Located<Seat> {
  const { harness: own, access: _all, resources: _whole, ...rest } = seat.object.spec;
  const { harness = {}, access, resources } = object.spec;
  const tools = harness.model?.providerTools ?? providerTools;
  const model = { ...own.model, ...harness.model, ...(tools ? { providerTools: tools } : {}) };
  const spec = {
    ...rest,
    harness: { ...own, ...harness, model },
    ...(access ? { access } : {}),
    ...(resources ? { resources } : {}),
  };
  return { object: { ...seat.object, metadata: object.metadata, spec }, item };
}

/** The run's own files in place of the seat's of the same path; the seat's instructions beside them. */
const filesOf = ({ object: { spec }, item }: Located<TaskRun>, { seat }: ResolvedSeat) => {
  const { [INPUT_FILE]: _hidden, ...inherited } = seat.object.spec.files ?? {};
  const written = {
    [INSTRUCTIONS_FILE]: seat.object.spec.instructions ?? '',
    [INPUT_FILE]: spec.input?.text ?? '',
  };
  return withOwnFiles(written, { ...inherited, ...spec.input?.files }, item, 'spec.input.files');
};

/** The seat's longest session for a run that names none. What nothing bounds, or bounds otherwise, is told. */
function lifeOf(
  { object: { spec }, item }: Located<TaskRun>,
  { sessionTTL, expiresAt, seat }: ResolvedSeat,
  tier: SettledTier | undefined,
): Outcome<string | undefined> {
  const { ttl = sessionTTL } = spec;
  const findings = spec.ttl === undefined ? [] : checkTTL(spec.ttl, 'spec.ttl', tier?.object, item);
  if (ttl === undefined) {
    const message = 'neither the run, its seat nor the tier bounds its life, so nothing ends a worker that hangs';
    findings.push(report('TTL_NOT_ENFORCED', item, 'spec.ttl', message));
  }
  if (expiresAt !== undefined) {
    const message = `the sessions of seat "${seat.item.name}" end at ${expiresAt}; a worker is told that, and ends after its own \`ttl\` only`;
    findings.push(report('TTL_NOT_ENFORCED', item, 'spec.seatRef.name', message));
  }
  return { value: ttl, findings };
}

/** A default that is spelt out is no other run, and neither is one that was finished and is wanted again. */
const digestOfSpec = ({ state: _state, ...spec }: TaskRun['spec']): string =>
  shortDigest(digestOf({ workspace: 'none', ...spec }));
