// What is known about each seat's enforcement, as a table, JSON or JUnit: from the probe's reports and the Seats in the cluster.
import { asLine, forTerminal, forXml } from '../escape';
import type { Gap, Report, SeatReport } from '../model';
import { toJson } from './json';

/** A report ConfigMap: without a report while the first probe runs. */
export interface PublishedReport {
  readonly namespace: string;
  readonly report?: Report;
}

/** The parts of a Seat in the cluster that say how it is. */
export interface SeatObject {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation?: number };
  readonly spec?: { readonly tierRef?: { readonly name?: string } };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
    readonly workload?: { readonly kind: string; readonly name: string };
    readonly lastProbe?: { readonly time?: string; readonly validUntil?: string; readonly gaps?: readonly Gap[] };
  };
}

/** One seat. `enforced` is Unknown for whatever is not proven now: never probed, stale, edited since. */
export interface SeatStatus {
  readonly namespace: string;
  readonly seat: string;
  readonly tier?: string;
  /** What runs it; absent: never probed. */
  readonly workload?: { readonly kind: string; readonly name: string };
  readonly enforced: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly probedAt?: string;
  readonly validUntil?: string;
  readonly gaps: readonly Gap[];
}

/** By namespace and name. `now` is Unix ms. A report speaks for a Seat unless the Seat was edited after it. */
export function statusesOf(
  reports: readonly PublishedReport[],
  seats: readonly SeatObject[],
  now: number,
): SeatStatus[] {
  const objects = new Map(seats.map((one) => [keyOf(one.metadata.namespace, one.metadata.name), one]));
  const rows = new Map<string, SeatStatus>();
  for (const { namespace, report } of reports) {
    for (const seat of report?.seats ?? []) {
      const key = keyOf(namespace, seat.seat);
      rows.set(key, judged(fromReport(namespace, seat, report as Report), objects.get(key), now));
    }
  }
  for (const [key, one] of objects) if (!rows.has(key)) rows.set(key, judged(fromObject(one), one, now));
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

const keyOf = (namespace: string, name: string): string => `${namespace}\0${name}`;

const ENFORCED = { PASS: 'True', FAIL: 'False', GAP: 'Unknown', INCONCLUSIVE: 'Unknown' } as const;
const isAccepted = ({ verdict, reason }: SeatReport): boolean => verdict === 'GAP' && reason === 'EnforcedWithGaps';

const fromReport = (namespace: string, seat: SeatReport, report: Report): SeatStatus => ({
  namespace,
  seat: seat.seat,
  ...(seat.tier === undefined ? {} : { tier: seat.tier }),
  workload: seat.workload ?? { kind: 'StatefulSet', name: seat.name },
  enforced: isAccepted(seat) ? 'True' : ENFORCED[seat.verdict],
  reason: seat.reason,
  message: seat.message,
  probedAt: report.endedAt,
  validUntil: report.validUntil,
  gaps: seat.gaps,
});

function fromObject({ metadata, spec, status }: SeatObject): SeatStatus {
  const condition = status?.conditions?.find(({ type }) => type === 'SandboxEnforced');
  const { time, validUntil, gaps = [] } = status?.lastProbe ?? {};
  return {
    namespace: metadata.namespace,
    seat: metadata.name,
    ...(spec?.tierRef?.name === undefined ? {} : { tier: spec.tierRef.name }),
    ...(status?.workload === undefined ? {} : { workload: status.workload }),
    enforced: condition?.status === 'True' || condition?.status === 'False' ? condition.status : 'Unknown',
    reason: condition?.reason ?? 'NeverProbed',
    message: condition?.message ?? 'no probe has judged this seat yet',
    ...(time === undefined ? {} : { probedAt: time }),
    ...(validUntil === undefined ? {} : { validUntil }),
    gaps,
  };
}

/** A verdict counts while it is valid and speaks of the Seat as it is. A FAIL stays one: time mends nothing. */
function judged(row: SeatStatus, object: SeatObject | undefined, now: number): SeatStatus {
  if (row.enforced === 'False') return row;
  const { generation } = object?.metadata ?? {};
  const observed = object?.status?.observedGeneration;
  if (generation !== undefined && observed !== undefined && observed !== generation) {
    return { ...row, enforced: 'Unknown', reason: 'SeatChanged', message: 'the Seat was edited after it was probed' };
  }
  if (row.validUntil !== undefined && Date.parse(row.validUntil) <= now) {
    return {
      ...row,
      enforced: 'Unknown',
      reason: 'Stale',
      message: `the verdict was good until ${row.validUntil}; probe again`,
    };
  }
  return row;
}

const HEAD = ['NAMESPACE', 'SEAT', 'TIER', 'ENFORCED', 'REASON', 'AGE', 'VALID', 'GAPS'] as const;

/** The table as kubectl prints one; below it a line for each seat that is not proven. `now` is Unix ms. */
export function tableOf(rows: readonly SeatStatus[], now: number): string {
  const lines = [
    HEAD,
    ...rows.map((row) => [
      row.namespace,
      row.seat,
      row.tier ?? '-',
      row.enforced,
      row.reason,
      row.probedAt ? `${spanOf(now - Date.parse(row.probedAt))}` : '-',
      row.validUntil ? spanOf(Date.parse(row.validUntil) - now) : '-',
      row.gaps.join(',') || '-',
    ]),
  ].map((line) => line.map(forTerminal));
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const table = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
  const why = rows
    .filter(({ enforced }) => enforced !== 'True')
    .map((row) => forTerminal(`${row.namespace}/${row.seat}: ${row.reason}: ${row.message}`));
  return [...table, ...(why.length ? ['', ...why] : [])].map((line) => `${asLine(line)}\n`).join('');
}

const UNITS: readonly (readonly [name: string, milliseconds: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** `3d`, `5h`, `12m`, `8s`; what lies behind is `expired`. */
function spanOf(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) return '?';
  if (milliseconds < 0) return 'expired';
  const [name, size] = UNITS.find(([, one]) => milliseconds >= 2 * one) ?? ['s', 1000];
  return `${Math.floor(milliseconds / size)}${name}`;
}

export const statusJson = (rows: readonly SeatStatus[]): string => toJson({ seats: rows });

/** One test case per seat: a failure where it is shown not to be enforced, an error where nothing is proven. */
export function statusJunit(rows: readonly SeatStatus[]): string {
  const count = (enforced: SeatStatus['enforced']): number => rows.filter((row) => row.enforced === enforced).length;
  const counts = `tests="${rows.length}" failures="${count('False')}" errors="${count('Unknown')}"`;
  const caseOf = ({ namespace, seat, enforced, reason, message }: SeatStatus): string => {
    const open = `    <testcase classname="${forXml(namespace)}" name="${forXml(seat)}"`;
    if (enforced === 'True') return `${open}/>`;
    const tag = enforced === 'False' ? 'failure' : 'error';
    return `${open}><${tag} type="${forXml(reason)}" message="${forXml(message)}"/></testcase>`;
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="seatplan" ${counts}>`,
    `  <testsuite name="seatplan status" ${counts}>`,
    ...rows.map((row) => asLine(caseOf(row))),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
