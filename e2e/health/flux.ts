// What kpt live and Flux say of an object, by their own readers: see e2e/flux/main.go.
import { must } from '../command';
import type { Manifest } from '../objects';
import { program } from '../prerequisites';

/** An entry of `healthCheckExprs` in a Kustomization's spec. */
export interface HealthCheckExpr {
  readonly apiVersion: string;
  readonly kind?: string;
  readonly current: string;
  readonly failed?: string;
  readonly inProgress?: string;
}

export interface Question {
  /** As the API server shows it. */
  readonly object: Manifest;
  /** Those of its namespace. */
  readonly pods?: readonly Manifest[];
  readonly healthCheckExprs?: readonly HealthCheckExpr[];
}

interface Answer {
  /** Current, InProgress, Failed, Terminating or Unknown. */
  readonly status: string;
  /** In Flux what went wrong, for Unknown. */
  readonly message: string;
}
export interface Answers {
  readonly kpt: Answer;
  readonly flux: Answer;
}

/** Throws what flux-check says where an expression is none. */
export function fluxCheck(questions: readonly Question[]): Answers[] {
  const check = program('flux-check');
  if (check === undefined) throw new Error('needs flux-check: e2e/tools.sh flux');
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('');
  return must([check], { input })
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
