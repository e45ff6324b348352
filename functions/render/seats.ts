// All objects of all seats and task runs, in the order in which they must reach a cluster: kind by kind, policies before workloads, and
// last the probes of what then runs.
import type { Item, Options, Rendered, ResolvedSeat, ResolvedTask } from '../model';
import { RENDERERS, type Renderer } from './index';
import { fileIn, kustomizations } from './layout';
import { type Probe, renderProbes } from './probe';
import type { SharedObject } from './shared';
import { TASK_RENDERERS, type TaskRenderer } from './task-worker';

export interface Whole {
  readonly seats: readonly ResolvedSeat[];
  readonly shared: readonly SharedObject[];
  readonly tasks: readonly ResolvedTask[];
  readonly probes: readonly Probe[];
  readonly layout: Options['layout'];
}

/** An object without its place in the file. */
type Placeless = Omit<Rendered, 'index'>;

/** Made while it is read, so that ten thousand seats never stand in memory as objects. */
export function* renderSeats(whole: Whole): Iterable<Rendered> {
  const places = new Map<string, number>();
  for (const one of objectsOf(whole)) {
    const index = places.get(one.file) ?? 0;
    places.set(one.file, index + 1);
    yield { ...one, index };
  }
}

function* objectsOf({ seats, shared, tasks, probes, layout }: Whole): Iterable<Placeless> {
  for (const { path, object } of kustomizations({ seats, shared, tasks, probes, layout }))
    yield { object, file: path, home: undefined };
  yield* ofStage(shared, 'guard', layout);
  yield* ofSeats(
    seats,
    RENDERERS.filter(({ isWorkload }) => !isWorkload),
    layout,
  );
  yield* ofTasks(
    tasks,
    TASK_RENDERERS.filter(({ isWorker }) => !isWorker),
    layout,
  );
  yield* ofStage(shared, 'seats', layout);
  yield* ofSeats(
    seats,
    RENDERERS.filter(({ isWorkload }) => isWorkload),
    layout,
  );
  yield* ofTasks(
    tasks,
    TASK_RENDERERS.filter(({ isWorker }) => isWorker),
    layout,
  );
  yield* renderProbes(probes, layout);
}

function* ofTasks(
  tasks: readonly ResolvedTask[],
  renderers: readonly TaskRenderer[],
  layout: Options['layout'],
): Iterable<Placeless> {
  for (const { stage, render } of renderers)
    for (const task of tasks)
      yield { object: render(task), file: fileIn(stage, task.name, layout), home: task.task.item };
}

function* ofStage(
  shared: readonly SharedObject[],
  wanted: SharedObject['stage'],
  layout: Options['layout'],
): Iterable<Placeless> {
  for (const { stage, file, object, home } of shared)
    if (stage === wanted) yield { object, file: fileIn(stage, file, layout), home };
}

function* ofSeats(
  seats: readonly ResolvedSeat[],
  renderers: readonly Renderer[],
  layout: Options['layout'],
): Iterable<Placeless> {
  for (const { stage, workloads, render } of renderers) {
    for (const seat of seats) {
      const object = workloads.includes(seat.workload) ? render(seat) : undefined;
      if (object) yield { object, file: fileIn(stage, seat.name, layout), home: homeOf(seat) };
    }
  }
}

const homeOf = ({ seat }: ResolvedSeat): Item => seat.item;
