// Publishes what a run found: the report ConfigMap, the Seats' status, Events for what changed.
import { gzipSync } from 'node:zlib';
import type { V1ConfigMap } from '@kubernetes/client-node';
import { SEAT_API } from '../../kinds';
import type { Plan, Report, RunRecord, SeatReport } from '../../model';
import {
  type ProbedSeat,
  probingStatus,
  type SeatStatus,
  statusOf,
  type Transition,
  transitionsOf,
} from '../conditions';
import { PACKED_REPORT_KEY, REPORT_KEY, RUNS_KEY, reportName } from '../identity';
import { recordsOf } from '../report';
import { type Api, ApiError } from './api';
import { atOnce } from './facts';
import { isOthers } from './lock';
import * as paths from './paths';

const APPLY = 'application/apply-patch+yaml';
/** A ConfigMap takes 1 MiB, and the history is in it too. */
const LARGEST = 700_000;
const AT_ONCE = 10;
/** Of a report that others write to at the same time. */
const TRIES = 5;
/** Who the Events are from. */
const COMPONENT = 'seatplan-probe';

/** The part of a Seat that matters here. */
export interface LiveSeat extends ProbedSeat {
  readonly name: string;
  readonly uid: string;
}

/** Seats of the plan that are in the cluster, by name; none where their CRD is not, or where they may not be read. `say` is told why there is none. */
export async function readSeats(
  api: Api,
  plan: Plan,
  say: (line: string) => void,
): Promise<ReadonlyMap<string, LiveSeat>> {
  const none = (why: string): ReadonlyMap<string, LiveSeat> => {
    say(`${why}: the report alone tells the verdict, no Seat's status`);
    return new Map();
  };
  try {
    const found = await api.list<{ metadata: { name: string; uid: string; generation?: number }; status?: SeatStatus }>(
      paths.seats(plan.namespace),
    );
    const planned = new Set(plan.seats.map(({ seat }) => seat));
    const live = found
      .filter(({ metadata }) => planned.has(metadata.name))
      .map(({ metadata: { name, uid, generation = 0 }, status }) => [name, { name, uid, generation, status }] as const);
    return live.length > 0 ? new Map(live) : none('no Seat of the plan is in the cluster');
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return none('the cluster does not know Seats');
    if (error instanceof ApiError && error.code === 403) return none(error.message);
    throw error;
  }
}

async function apply(api: Api, plan: Plan, name: string, status: SeatStatus): Promise<void> {
  try {
    await api.call('PATCH', paths.seats(plan.namespace, name).concat('/status'), {
      contentType: APPLY,
      query: { fieldManager: plan.fieldOwner, force: 'true' },
      body: { apiVersion: SEAT_API, kind: 'Seat', metadata: { name, namespace: plan.namespace }, status },
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error; // deleted in the meantime
  }
}

/** While the run is on, so that nobody takes an earlier verdict for this run's. */
export const publishProbing = (api: Api, plan: Plan, seats: ReadonlyMap<string, LiveSeat>): Promise<void> =>
  atOnce([...seats.values()], AT_ONCE, (seat) => apply(api, plan, seat.name, probingStatus(seat, Date.now())));

/** Status and Events of each Seat. `seats` as they were before the run. */
export async function publishSeats(
  api: Api,
  plan: Plan,
  seats: ReadonlyMap<string, LiveSeat>,
  report: Report,
): Promise<void> {
  const judged = report.seats.flatMap((one) => {
    const live = seats.get(one.seat);
    return live ? [[one, live] as const] : [];
  });
  await atOnce(judged, AT_ONCE, async ([seat, live]) => {
    const next = statusOf(report, seat as Parameters<typeof statusOf>[1] & SeatReport, live, Date.now());
    await apply(api, plan, live.name, next);
    for (const transition of transitionsOf(live.status, next)) await tell(api, plan, live, transition);
  });
}

/** An Event that is lost costs nothing: the condition says the same. */
async function tell(
  api: Api,
  { namespace }: Plan,
  { name, uid }: LiveSeat,
  { type, reason, message }: Transition,
): Promise<void> {
  const now = new Date().toISOString();
  try {
    await api.call('POST', paths.events(namespace), {
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { generateName: `${name}.`, namespace },
        involvedObject: { apiVersion: SEAT_API, kind: 'Seat', namespace, name, uid },
        ...{ type, reason, message, action: 'Probed', count: 1, firstTimestamp: now, lastTimestamp: now },
        source: { component: COMPONENT },
        reportingComponent: COMPONENT,
        reportingInstance: COMPONENT,
      },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/**
 * The report, and what stays of earlier ones. false: another prober's name is on it by now, and the word is that one's; it
 * is written only over what was read, so that none comes in between.
 */
export async function publishReport(api: Api, plan: Plan, report: Report, holder: string): Promise<boolean> {
  const path = paths.configMap(plan.controlPlaneNamespace, reportName(plan.prober));
  const text = JSON.stringify(report);
  const packed = Buffer.byteLength(text) > LARGEST;
  for (let tries = 1; ; tries += 1) {
    const { metadata, data } = await api.call<V1ConfigMap>('GET', path);
    if (isOthers(metadata, holder)) return false;
    const body = {
      metadata: { resourceVersion: metadata?.resourceVersion },
      data: {
        [REPORT_KEY]: packed ? null : text,
        [RUNS_KEY]: JSON.stringify(recordsOf(report, earlierRuns(data?.[RUNS_KEY]))),
      },
      binaryData: { [PACKED_REPORT_KEY]: packed ? gzipSync(text).toString('base64') : null },
    };
    try {
      await api.call('PATCH', path, { contentType: 'application/merge-patch+json', body });
      return true;
    } catch (error) {
      // a renewal or an engine was faster, or the answer to a first try was lost
      if (!(error instanceof ApiError && error.code === 409) || tries >= TRIES) throw error;
    }
  }
}

/** Whoever may write the ConfigMap may have broken it: then the history begins anew. */
function earlierRuns(text: string | undefined): RunRecord[] {
  try {
    const runs: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(runs) ? runs : [];
  } catch {
    return [];
  }
}
