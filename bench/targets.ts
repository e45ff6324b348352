// The numbers that we promise, and whether a run kept them.
import type { Cost } from './measure';

export interface Measured {
  readonly case: string;
  readonly contender: string;
  readonly cost: Cost;
}

export interface Verdict {
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

const MEGABYTE = 1e6;

export function judge(measured: readonly Measured[]): Verdict[] {
  const cost = (name: string, contender = 'seatplan'): Cost => {
    const found = measured.find((one) => one.case === name && one.contender === contender);
    if (!found) throw new Error(`${name} was not measured`);
    return found.cost;
  };
  const atMost = (target: string, value: number, most: number, unit: string): Verdict => ({
    target: `${target} ≤ ${most}${unit}`,
    measured: `${value.toPrecision(3)}${unit}`,
    met: value <= most,
  });
  const toHelm = (name: string): number => cost(name).wall / cost(name, 'helm').wall;
  return [
    atMost('1 seat', cost('1 seat').wall, 0.12, ' s'),
    atMost('1,000 seats', toHelm('1,000 seats'), 0.5, ' × helm'),
    atMost('10,000 seats', toHelm('10,000 seats'), 0.5, ' × helm'),
    atMost('10,000 seats, peak memory', cost('10,000 seats').memory / MEGABYTE, 400, ' MB'),
    atMost('10,000 seats', cost('10,000 seats').wall / cost('1,000 seats').wall, 11, ' × 1,000 seats'),
    atMost(
      '6,000 foreign objects and 10 seats',
      cost('ResourceList: 6,000 foreign objects, 10 seats', 'expand-seats').wall,
      0.4,
      ' s',
    ),
  ];
}
