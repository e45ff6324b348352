// What an unquoted YAML scalar means to the API server: YAML 1.1 as go.yaml.in/yaml/v2 resolves it (its resolve.go), then JSON.

/** The scalar does not fit the tag that stands before it. */
export const NOT_OF_TAG = Symbol('not of its tag');

const NULLS = ['', '~', 'null', 'Null', 'NULL'];
const TRUE = ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSE = ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];
const INFINITIES = ['.inf', '.Inf', '.INF'];
const NAN = ['.nan', '.NaN', '.NAN'];

const WORDS = new Map<string, unknown>([
  ...NULLS.map((word) => [word, null] as const),
  ...TRUE.map((word) => [word, true] as const),
  ...FALSE.map((word) => [word, false] as const),
  ...INFINITIES.flatMap(
    (word) =>
      [
        [word, Infinity],
        [`+${word}`, Infinity],
        [`-${word}`, -Infinity],
      ] as const,
  ),
  ...NAN.map((word) => [word, NaN] as const),
]);

const MAY_BE_NUMBER = /^[-+.0-9]/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|[1-9][0-9]*|0)$/;
const OLD_OCTAL = /^0[0-7]+$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const LARGEST_UINT = 2n ** 64n - 1n;
const SMALLEST_INT = -(2n ** 63n);

/** A word, a number (bigint where a JavaScript number would round it; infinite ones have no place in JSON), or the text itself. */
export function resolvePlain(text: string): unknown {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!MAY_BE_NUMBER.test(text)) return text;
  // Before a leading dot underscores are not dropped there.
  return numberOf(text.startsWith('.') ? text : text.replaceAll('_', '')) ?? text;
}

function numberOf(plain: string): number | bigint | undefined {
  const [, sign, digits] = INTEGER.exec(plain) ?? [];
  if (digits !== undefined) {
    const whole = BigInt(OLD_OCTAL.test(digits) ? `0o${digits}` : digits) * (sign === '-' ? -1n : 1n);
    if (whole >= SMALLEST_INT && whole <= LARGEST_UINT && !(sign && whole > -SMALLEST_INT)) return exact(whole);
  }
  if (!FLOAT.test(plain)) return undefined;
  const float = Number(plain);
  return Number.isFinite(float) ? float + 0 : undefined; // and never -0, which is no integer
}

const exact = (whole: bigint): number | bigint => (Number.isSafeInteger(Number(whole)) ? Number(whole) : whole);

const TIMESTAMP =
  /^\d{4}-\d\d?-\d\d?(?:[Tt]\d\d?:\d\d?:\d\d?(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)| \d\d?:\d\d?:\d\d?(?:[.,]\d+)?)?$/;

const LONG = 'tag:yaml.org,2002:';
const OF_TAG: Readonly<Record<string, (value: unknown) => boolean>> = {
  bool: (value) => typeof value === 'boolean',
  int: (value) => typeof value === 'bigint' || Number.isInteger(value),
  float: (value) => typeof value === 'number',
  null: (value) => value === null,
  timestamp: (value) => typeof value === 'string' && TIMESTAMP.test(value),
};

/** A scalar under an explicit tag; tags that YAML does not define leave the text as it is. */
export function resolveTagged(tag: string, text: string): unknown {
  const name = shortTag(tag);
  if (name === 'binary') return fromBase64(text);
  const fits = name !== undefined && Object.hasOwn(OF_TAG, name) ? OF_TAG[name] : undefined;
  if (!fits) return text;
  const value = resolvePlain(text);
  return fits(value) ? value : NOT_OF_TAG;
}

/** `str` of `!!str` and of its long forms; undefined for other people's tags. */
export function shortTag(tag: string): string | undefined {
  if (tag.startsWith('!!')) return tag.slice(2);
  if (tag.startsWith(`!<${LONG}`)) return tag.slice(2 + LONG.length, -1);
  return undefined;
}

function fromBase64(text: string): unknown {
  const packed = text.replace(/[\r\n]/g, '');
  const valid = packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed);
  return valid ? Buffer.from(packed, 'base64').toString('utf8') : NOT_OF_TAG;
}

/** A mapping key as the text that JSON gives it; undefined for keys that cannot stand in JSON. `source` is its own spelling. */
export function keyText(key: unknown, source: string): string | undefined {
  if (typeof key === 'string') return key;
  if (typeof key === 'boolean') return String(key);
  if (typeof key === 'bigint') return key < -SMALLEST_INT ? String(key) : undefined;
  if (typeof key !== 'number') return undefined;
  return INTEGER.test(source.replaceAll('_', '')) && Number.isSafeInteger(key) ? String(key) : floatText(key);
}

/** strconv.FormatFloat(key, 'g', -1, 32): the fewest digits that name the same 32-bit float. */
function floatText(key: number): string {
  if (!Number.isFinite(key)) return Number.isNaN(key) ? '.nan' : key < 0 ? '-.inf' : '.inf';
  const counts = Array.from({ length: 9 }, (_, more) => more + 1);
  const fewest = counts.find((count) => Math.fround(Number(key.toPrecision(count))) === Math.fround(key)) ?? 9;
  const [mantissa = '', exponent = '0'] = key.toExponential(fewest - 1).split('e');
  if (Number(exponent) >= -4 && Number(exponent) < 6) return String(Number(key.toPrecision(fewest)));
  return `${mantissa}e${exponent.startsWith('-') ? '-' : '+'}${exponent.slice(1).padStart(2, '0')}`;
}
