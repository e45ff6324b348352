// The stage of one sabotage: a package of one seat in a namespace of its own, brought up as a GitOps engine does, its
// probe's Job last, and what the probe reported.
import { gunzipSync } from 'node:zlib';
import type { Report } from '../../functions/model';
import { PACKED_REPORT_KEY, proberName, REPORT_KEY, RUNS_KEY, reportName } from '../../functions/probe/identity';
import type { Cluster, Live } from '../cluster';
import type { Manifest } from '../objects';
import { CONTROL_PLANE, type Declared, declare, expand, makeNamespace, volumesFor } from '../seat-package';

export interface Stage {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly declared: Declared;
  readonly objects: readonly Manifest[];
  /** The rendered object of this kind in the seats' namespace. */
  the(kind: string): Manifest;
  /** Name of the seat's pod. */
  readonly pod: string;
  readonly job: string;
}

export const isJob = ({ kind }: Manifest): boolean => kind === 'Job';
/** Everything but the probe's Job; with volumes where the cluster has none of its own. */
const withoutJob = (cluster: Cluster, objects: readonly Manifest[]): Manifest[] => [
  ...volumesFor(cluster, objects),
  ...objects.filter((object) => !isJob(object)),
];

/** Renders the package; nothing is in the cluster yet but its namespace. */
export async function makeStage(cluster: Cluster, declared: Declared): Promise<Stage> {
  const { namespace } = declared;
  const objects = expand(declare(declared));
  const the = (kind: string): Manifest => {
    const found = objects.find((object) => object.kind === kind && object.metadata.namespace === namespace);
    if (!found) throw new Error(`no ${kind} is rendered in ${namespace}`);
    return found;
  };
  await makeNamespace(cluster, namespace);
  const job = objects.find(isJob)?.metadata.name;
  if (job === undefined) throw new Error('no Job is rendered');
  return { cluster, namespace, declared, objects, the, job, pod: `${the('StatefulSet').metadata.name}-0` };
}

/** Seats, tiers and what is rendered of them, but the Job; waits until the seats' pods are Ready. */
export async function bringUp(stage: Stage): Promise<void> {
  const { cluster, declared, objects, namespace } = stage;
  const inputs = declare(declared).filter(({ kind }) => kind !== 'ExpandSeats');
  await cluster.apply([...inputs, ...withoutJob(cluster, objects)]);
  for (const { kind, metadata, spec } of objects) {
    if (kind === 'StatefulSet' && (spec as { replicas: number }).replicas > 0)
      await seatIsReady(cluster, namespace, `${metadata.name}-0`);
  }
}

const isReady = (pod: Live | undefined): boolean => {
  const { conditions = [] } = (pod?.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
};

/** Waits for a pod that is Ready and not the one with the uid `before`. */
export const seatIsReady = (cluster: Cluster, namespace: string, pod: string, before?: string): Promise<Live> =>
  cluster.waitFor(`pod ${namespace}/${pod} is Ready`, 90, async () => {
    const live = await cluster.get('pod', pod, namespace);
    return live && isReady(live) && live.metadata.uid !== before ? live : undefined;
  });

/** Applies the Job, and waits for the report of its first run. */
export async function probe({ cluster, namespace, objects }: Stage): Promise<Report> {
  const before = await latest(cluster, namespace);
  await cluster.apply(objects.filter(isJob));
  return reportOf(cluster, namespace, before?.run);
}

/** The report of the namespace's probe, once there is one of another run than `before`. */
export const reportOf = (cluster: Cluster, namespace: string, before?: string): Promise<Report> =>
  cluster.waitFor(`report on ${namespace}`, 240, async () => {
    const report = await latest(cluster, namespace);
    return report && report.run !== before ? report : undefined;
  });

async function latest(cluster: Cluster, namespace: string): Promise<Report | undefined> {
  const name = reportName(proberName(namespace));
  const text = textOf(await cluster.get('configmap', name, CONTROL_PLANE), REPORT_KEY, PACKED_REPORT_KEY);
  return text === undefined ? undefined : (JSON.parse(text) as Report);
}

/** Earlier runs that the report's ConfigMap keeps. */
export async function runsOf(
  cluster: Cluster,
  namespace: string,
): Promise<readonly { verdict: string; reason: string }[]> {
  const map = await cluster.get('configmap', reportName(proberName(namespace)), CONTROL_PLANE);
  return JSON.parse(map?.data?.[RUNS_KEY] ?? '[]') as { verdict: string; reason: string }[];
}

function textOf(map: Live | undefined, key: string, packed: string): string | undefined {
  const { data, binaryData } = (map ?? {}) as { data?: Record<string, string>; binaryData?: Record<string, string> };
  const bytes = binaryData?.[packed];
  return data?.[key] ?? (bytes === undefined ? undefined : gunzipSync(Buffer.from(bytes, 'base64')).toString());
}

/** Removes all that the stage brought, but what is the whole cluster's; its namespace goes in the background. */
export async function clear({ cluster, namespace, objects }: Stage): Promise<void> {
  const own = [
    ...volumesFor(cluster, objects),
    ...objects.filter(({ metadata }) => metadata.namespace === CONTROL_PLANE),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  ];
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: own });
  await cluster.kubectl(['delete', '--ignore-not-found', '--wait=false', '--filename', '-'], list);
}
