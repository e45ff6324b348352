// I3: the seat's ServiceAccount may do nothing in the cluster.
import type { CheckResult } from '../../model';
import { accountOf } from '../profile';
import { type LiveSeat, of, TEMPLATE_UNKNOWN } from './live-seat';

const MOST_NAMED = 5;

export function judgeRights(live: LiveSeat): CheckResult {
  const say = of(live, 'I3');
  const { seat, facts } = live;
  const account = accountOf(live.profile, seat);
  if (account === undefined)
    return seat.running ? say.open(TEMPLATE_UNKNOWN) : say.skip('Stopped', 'the seat is stopped');
  const rights = Object.hasOwn(facts.rights, account) ? facts.rights[account] : undefined;
  if (!rights) {
    if (!seat.running) return say.skip('Stopped', 'the seat is stopped');
    return say.open({ reason: 'NotShown', message: `nobody asked what the ServiceAccount ${account} may do` });
  }
  if (rights.obstacle) return say.open(rights.obstacle);
  const held = [...rights.value].sort();
  if (held.length === 0)
    return say.pass('the ServiceAccount may do nothing', { serviceAccount: account, answered: true });
  const more = held.length > MOST_NAMED ? ` and ${held.length - MOST_NAMED} more` : '';
  const message = `the ServiceAccount ${account} may ${held.slice(0, MOST_NAMED).join(', ')}${more}`;
  return say.fail('AccountHasRights', message, { serviceAccount: account, rights: held });
}
