// Kubernetes quantities: exact values, and the form in which the API server stores them, so that nothing differs forever.
// Follows k8s.io/apimachinery/pkg/api/resource (quantity.go, suffix.go, amount.go).

/** `value` counts nanos: the API keeps nothing smaller. */
export interface ParsedQuantity {
  readonly value: bigint;
  readonly canonical: string;
}

const NANO = 1_000_000_000n;
const LARGEST = (2n ** 63n - 1n) * NANO;
/** Beyond this power of ten any digit is capped (or vanishes into one nano): keeps a hostile exponent cheap. */
const FARTHEST_EXPONENT = 300;
const LONGEST_TEXT = 256;

const QUANTITY = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d{1,9}))?$/;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const DECIMAL_SUFFIX: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(DECIMAL).map(([suffix, exponent]) => [exponent, suffix]),
);

/** Undefined for a text that is no quantity. */
export function parseQuantity(quantity: string | number): ParsedQuantity | undefined {
  const text = String(quantity);
  const match = text.length > LONGEST_TEXT ? null : QUANTITY.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', bareFraction = '', binary, decimal = '', power] = match;
  const decimals = fraction || bareFraction;
  const digits = BigInt(whole + decimals || '0');
  const exponent = power === undefined ? DECIMAL[decimal]! : Number(power);
  const magnitude = binary
    ? scale(digits * 1024n ** BigInt(BINARY.indexOf(binary)), -decimals.length)
    : scale(digits, exponent - decimals.length);
  const capped = magnitude > LARGEST ? LARGEST : magnitude;
  const canonical = binary ? binaryForm(capped) : decimalForm(capped, power !== undefined);
  const negative = sign === '-' && capped !== 0n;
  return { value: negative ? -capped : capped, canonical: negative ? `-${canonical}` : canonical };
}

/** Nanos of digits × 10^exponent, rounded away from zero as the API does. */
function scale(digits: bigint, exponent: number): bigint {
  const power = Math.max(-FARTHEST_EXPONENT, Math.min(FARTHEST_EXPONENT, exponent + 9));
  return power >= 0 ? digits * 10n ** BigInt(power) : ceilDivide(digits, 10n ** BigInt(-power));
}

const ceilDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

/** Whole numbers with the largest binary suffix that divides them; below 1024 the API falls back to decimal. */
function binaryForm(nanos: bigint): string {
  if (nanos < 1024n * NANO) return decimalForm(nanos, false);
  let mantissa = ceilDivide(nanos, NANO);
  let step = 0;
  while (mantissa % 1024n === 0n) {
    mantissa /= 1024n;
    step += 1;
  }
  return `${mantissa}${BINARY[step]}`;
}

/** The largest power of a thousand that leaves a whole number. */
function decimalForm(nanos: bigint, exponentForm: boolean): string {
  if (nanos === 0n) return '0';
  let mantissa = nanos;
  let exponent = -9;
  while (mantissa % 1000n === 0n) {
    mantissa /= 1000n;
    exponent += 3;
  }
  if (!exponentForm) return `${mantissa}${DECIMAL_SUFFIX[exponent]}`;
  return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
}

export const isWhole = ({ value }: ParsedQuantity): boolean => value % NANO === 0n;
