// Go durations: `1h30m`, not `1d`. Grammar of time.ParseDuration (go.dev/src/time/format.go).

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5, the micro sign
  μs: 1_000n, // U+03BC, the Greek letter
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const LARGEST = 2n ** 63n - 1n;
const LONGEST_TEXT = 256;
const DURATION = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;

/** Nanoseconds of a Go duration; undefined for what Go would refuse, its overflow included. */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > LONGEST_TEXT || !DURATION.test(text)) return undefined;
  let sum = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(PART)) {
    const scale = NANOSECONDS[unit]!;
    sum += BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
  }
  if (sum > LARGEST) return undefined;
  return text.startsWith('-') ? -sum : sum;
}
