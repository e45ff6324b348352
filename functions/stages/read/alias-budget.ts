// How much of an object may come from aliases: the rule of the API server's parser (go.yaml.in/yaml/v2 decode.go).

const FREE_ALIASED = 100;
const FREE_DECODED = 1000;
const LOW = 400_000;
const HIGH = 4_000_000;

/** 99 % of a small object, falling to 10 % of a huge one; either way some 400,000 values. */
const allowedShare = (decoded: number): number =>
  0.99 - 0.89 * Math.min(1, Math.max(0, (decoded - LOW) / (HIGH - LOW)));

export class AliasBudget {
  private decoded = 0;
  private aliased = 0;

  count(): void {
    this.decoded += 1;
  }

  /** An alias that stands for so many values; false when that is too much. */
  spend(size: number): boolean {
    this.decoded += 1 + size;
    this.aliased += size;
    if (this.aliased <= FREE_ALIASED || this.decoded <= FREE_DECODED) return true;
    return this.aliased / this.decoded <= allowedShare(this.decoded);
  }
}
