// TaskRun, field by field as its CRD admits it, and a run of which nothing is left to decide.
import type { Located } from './item';
import type { ResolvedPod, ResolvedSeat } from './resolved-seat';
import type { Access, Harness, SeatSpec } from './seat';
import type { ObjectMeta } from './trust-tier';

/** TaskRun `steadmesh.io/v1alpha1`, as `schemas/taskrun.crd.yaml` admits it, defaults not applied. */
export interface TaskRun {
  readonly apiVersion: string;
  readonly kind: 'TaskRun';
  readonly metadata: ObjectMeta;
  readonly spec: TaskRunSpec;
}
export interface TaskRunSpec {
  readonly seatRef: { readonly name: string };
  readonly state?: 'Running' | 'Finished';
  /** What differs from the seat's; the model's connection stays the seat's. */
  readonly harness?: Partial<Omit<Harness, 'model' | 'health'>> & {
    readonly model?: Pick<NonNullable<Harness['model']>, 'name' | 'providerTools'>;
  };
  readonly input?: { readonly text?: string; readonly files?: Readonly<Record<string, string>> };
  readonly access?: Access;
  readonly resources?: SeatSpec['resources'];
  readonly ttl?: string;
  readonly workspace?: 'none' | 'readOnly';
}

/** A TaskRun's worker with all that its seat, tier, the options and the defaults decide. `name` is the worker's. */
export interface ResolvedTask extends ResolvedPod {
  readonly task: Located<TaskRun>;
  readonly parent: ResolvedSeat;
  /** Value of the label that tells runs apart: `<parent cut>.<run cut>-<hash8>`. */
  readonly label: string;
  /** Hex digits of the spec's digest, which are in the name too: two specs of one run share no object and no policy. */
  readonly digest: string;
  /** The seat's claim where the worker may read it. */
  readonly readsClaim: string | undefined;
}
