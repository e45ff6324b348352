// A seeded source of choices, so that any run can be had again.

export interface Random {
  /** A whole number from 0 to below the limit. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

/** mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    below,
    chance: (probability) => fraction() < probability,
    pick: (choices) => choices[below(choices.length)]!,
  };
}
