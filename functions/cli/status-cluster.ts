// Reads what probes published: the report ConfigMaps of the control plane, and the Seats themselves where their CRD is there.
// A bundle of its own: the Kubernetes client is large, and no other command needs it.
import { gunzipSync } from 'node:zlib';
import { ApiException, CoreV1Api, CustomObjectsApi, KubeConfig, type V1ConfigMap } from '@kubernetes/client-node';
import { SEAT_API } from '../kinds';
import type { Report } from '../model';
import {
  COMPONENT_LABEL,
  PACKED_REPORT_KEY,
  PROBED_NAMESPACE,
  proberName,
  REPORT_COMPONENT,
  REPORT_KEY,
  reportName,
} from '../probe/identity';
import type { PublishedReport, SeatObject } from '../report/seat-status';

export interface Access {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly controlPlaneNamespace: string;
  /** undefined: all; `''`: that of the kubeconfig's context. */
  readonly namespace: string | undefined;
}

export interface Published {
  readonly reports: readonly PublishedReport[];
  readonly seats: readonly SeatObject[];
  /** What could not be read, in sentences. */
  readonly notes: readonly string[];
}

/** Throws an Error with a sentence for the user when neither reports nor Seats can be read. */
export async function readPublished(access: Access): Promise<Published> {
  const config = new KubeConfig();
  if (access.kubeconfig) config.loadFromFile(access.kubeconfig);
  else config.loadFromDefault();
  if (access.context) config.setCurrentContext(access.context);
  if (!config.getCurrentCluster())
    throw new Error(`the kubeconfig has no cluster for context "${access.context ?? config.getCurrentContext()}"`);
  const ofContext = config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
  const namespace = access.namespace === '' ? ofContext : access.namespace;
  const [reports, seats] = await Promise.all([
    looked(() => readReports(config.makeApiClient(CoreV1Api), access.controlPlaneNamespace, namespace)),
    looked(() => readSeats(config.makeApiClient(CustomObjectsApi), namespace)),
  ]);
  const problems = [
    ...(reports.problem ? [`reports in ${access.controlPlaneNamespace}: ${reports.problem}`] : []),
    ...(seats.problem ? [`Seats: ${seats.problem}`] : []),
  ];
  if (problems.length === 2) throw new Error(problems.join('; '));
  return { reports: reports.value ?? [], seats: seats.value ?? [], notes: problems.map((one) => `not shown: ${one}`) };
}

interface Look<T> {
  readonly value?: T;
  readonly problem?: string;
}

async function looked<T>(work: () => Promise<T>): Promise<Look<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ApiException) return { problem: wordsOf(error) };
    if (error instanceof Error) return { problem: error.message };
    throw error;
  }
}

/** The API server's own words where it has any. */
function wordsOf({ code, body }: ApiException<unknown>): string {
  try {
    const { message } = (typeof body === 'string' ? JSON.parse(body) : body) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // not JSON: a proxy's page
  }
  return `the API server answered ${code}`;
}

async function readReports(
  core: CoreV1Api,
  controlPlane: string,
  namespace: string | undefined,
): Promise<PublishedReport[]> {
  if (namespace !== undefined) {
    const name = reportName(proberName(namespace));
    try {
      return [reportOf(await core.readNamespacedConfigMap({ namespace: controlPlane, name }), namespace)];
    } catch (error) {
      if (error instanceof ApiException && error.code === 404) return [];
      throw error;
    }
  }
  const labelSelector = `${COMPONENT_LABEL}=${REPORT_COMPONENT}`;
  const { items } = await core.listNamespacedConfigMap({ namespace: controlPlane, labelSelector });
  return items.map((one) => reportOf(one, one.metadata?.labels?.[PROBED_NAMESPACE] ?? ''));
}

/** A ConfigMap without a report: the probe has not come to an end yet. */
function reportOf({ data, binaryData }: V1ConfigMap, namespace: string): PublishedReport {
  const packed = binaryData?.[PACKED_REPORT_KEY];
  const text = packed ? gunzipSync(Buffer.from(packed, 'base64')).toString('utf8') : data?.[REPORT_KEY];
  if (text === undefined) return { namespace };
  const report = JSON.parse(text) as Report;
  if (report.version !== 1)
    throw new Error(`the report of ${namespace} has version ${String(report.version)}; this seatplan knows 1`);
  return { namespace, report };
}

async function readSeats(objects: CustomObjectsApi, namespace: string | undefined): Promise<SeatObject[]> {
  const [group = '', version = ''] = SEAT_API.split('/');
  const where = { group, version, plural: 'seats' };
  try {
    const list =
      namespace === undefined
        ? await objects.listClusterCustomObject(where)
        : await objects.listNamespacedCustomObject({ ...where, namespace });
    return (list as { items: SeatObject[] }).items;
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return [];
    throw error;
  }
}
