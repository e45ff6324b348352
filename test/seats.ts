// Builders for tests: a seat, a tier and options of which a case says only what it is about.
import type {
  Item,
  Located,
  Options,
  ProbeOptions,
  Seat,
  SeatSpec,
  TaskRun,
  TaskRunSpec,
  TrustTier,
  TrustTierSpec,
} from '../functions/model';
import { toOptions } from '../functions/options';

const itemOf = (apiVersion: string, kind: string, name: string, namespace?: string): Item => ({
  text: '',
  origin: { line: 1, column: 1 },
  apiVersion,
  kind,
  name,
  namespace,
  annotations: {},
  level: 'package',
});

export function seatWith(spec: Partial<SeatSpec> = {}, name = 'engineer', namespace = 'seats'): Located<Seat> {
  const object: Seat = {
    apiVersion: 'steadmesh.io/v1alpha1',
    kind: 'Seat',
    metadata: { name, namespace },
    spec: { organization: 'acme', harness: { adapter: 'claude' }, ...spec },
  };
  return { object, item: itemOf(object.apiVersion, 'Seat', name, namespace) };
}

export function tierWith(spec: Partial<TrustTierSpec> = {}, name = 'tier-0'): Located<TrustTier> {
  const object: TrustTier = {
    apiVersion: 'maqpna.com/v1alpha1',
    kind: 'TrustTier',
    metadata: { name },
    spec: { runtimeClassName: 'gvisor', isolation: 'gvisor', ...spec },
  };
  return { object, item: itemOf(object.apiVersion, 'TrustTier', name) };
}

export const optionsWith = (options: Partial<Options> = {}): Options => ({
  ...toOptions({}, { platform: 8080, egress: undefined }),
  ...options,
});

/** The probe's defaults, but that no gap is accepted. */
export const PROBE: ProbeOptions = { ...optionsWith().probe, acceptGaps: [] };

export function taskWith(spec: Partial<TaskRunSpec> = {}, name = 'fix', namespace = 'seats'): Located<TaskRun> {
  const object: TaskRun = {
    apiVersion: 'steadmesh.io/v1alpha1',
    kind: 'TaskRun',
    metadata: { name, namespace },
    spec: { seatRef: { name: 'engineer' }, ...spec },
  };
  return { object, item: itemOf(object.apiVersion, 'TaskRun', name, namespace) };
}
