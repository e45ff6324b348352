// All objects of all seats, in the order in which they must reach a cluster: kind by kind, policies before workloads, and
// last the probes of what then runs.
import type { Options, Rendered, ResolvedSeat } from '../model';
import { RENDERERS } from './index';
import { fileOf, kustomizations } from './layout';
import { type Probe, renderProbes } from './probe';

/** Made while it is read, so that ten thousand seats never stand in memory as objects. */
export function* renderSeats(
  seats: readonly ResolvedSeat[],
  probes: readonly Probe[],
  layout: Options['layout'],
): Iterable<Rendered> {
  const places = new Map<string, number>();
  for (const { path, object } of kustomizations(
    seats,
    probes.map(({ plan }) => plan.prober),
    layout,
  ))
    yield { object, file: path, index: 0, seat: undefined };
  for (const { stage, render } of RENDERERS) {
    for (const seat of seats) {
      const object = render(seat);
      if (!object) continue;
      const file = fileOf(seat, stage);
      const index = places.get(file) ?? 0;
      places.set(file, index + 1);
      yield { object, file, index, seat };
    }
  }
  yield* renderProbes(probes, layout);
}
