// How it is told that a task run asks for more than its seat has.
import { type Finding, report } from '../../finding';
import type { Located, ResolvedSeat, Seat } from '../../model';

const NAMED_AT_MOST = 5;

/** `has`: what the seat has of the kind, in words. */
export function exceeds(
  { item }: Located<Seat>,
  parent: ResolvedSeat,
  path: string,
  what: string,
  has: readonly string[],
): Finding {
  const named = has.slice(0, NAMED_AT_MOST).join(', ');
  const more = has.length > NAMED_AT_MOST ? ` and ${has.length - NAMED_AT_MOST} more` : '';
  const allows = has.length === 0 ? 'has none' : `has ${named}${more}`;
  const message = `a task run may do no more than its seat: ${what}, and seat "${parent.seat.item.name}" ${allows}`;
  return report('ACCESS_EXCEEDS_SEAT', item, path, message);
}
