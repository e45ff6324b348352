// One row of the sabotage table: what is broken behind Git's back, and what the probe must say of it.
import type { CheckID, Report, Verdict } from '../../functions/model';
import type { Declared } from '../seat-package';
import type { Stage } from './stage';

/** `CHECK Reason`: what the report must hold with the row's verdict. */
export type Finding = `${CheckID} ${string}`;

export interface Row {
  /** A DNS label: the namespace is named after it. */
  readonly name: string;
  /** For the table in docs/sabotage.md. */
  readonly what: string;
  /** Differs from one seat without a tier, on runc. */
  readonly package?: Partial<Omit<Declared, 'namespace' | 'images'>>;
  /** Before anything of the package is applied. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** Once the seats run, before the probe does. */
  readonly sabotage?: (stage: Stage) => Promise<void>;
  /** While the probe runs, from its pods' start on. */
  readonly meanwhile?: (stage: Stage) => Promise<void>;
  /** After the first report: what else must be so. */
  readonly after?: (stage: Stage, report: Report) => Promise<void>;
  /** Undoes what is not in the row's namespace. */
  readonly restore?: (stage: Stage) => Promise<void>;
  /** Of the whole report. */
  readonly reason?: string;
  readonly verdict: Exclude<Verdict, 'SKIP'>;
  /** Each must be among the results with this verdict; of FAIL nothing else may be there. */
  readonly findings: readonly Finding[];
  /** Touches the whole cluster: no other row runs meanwhile. */
  readonly alone?: true;
  /** Needs the node, so a cluster that the tests started. */
  readonly node?: true;
}
