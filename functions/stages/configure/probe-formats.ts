// What the probe's options must look like beyond their type.
import { parseDuration } from '../../kubernetes/duration';
import { parseImageReference } from '../../kubernetes/image-reference';
import { nearest } from '../../nearest';
import { GAPS } from '../../options';
import { parseAddress } from '../resolve/address';

type Format = (value: unknown) => string | undefined;

const image: Format = (value) =>
  parseImageReference(String(value))
    ? undefined
    : 'must be an image reference, such as `ghcr.io/seatplan/probe-seats:v0.1.0`';

const SECOND = 1_000_000_000n;

/** Bounds are durations too, and both are allowed. */
const between =
  (least: string, most: string): Format =>
  (value) => {
    const duration = parseDuration(String(value));
    const [low = 0n, high = 0n] = [parseDuration(least), parseDuration(most)];
    const fits = duration !== undefined && duration >= low && duration <= high && duration % SECOND === 0n;
    return fits ? undefined : `must be a duration in whole seconds from ${least} to ${most}, such as \`${least}\``;
  };

const gaps: Format = (value) => {
  const names: readonly string[] = GAPS;
  const wrong = (value as string[]).find((one) => !names.includes(one));
  if (wrong === undefined) return undefined;
  const proposed = nearest(wrong, names);
  return `holds "${wrong}", which is no gap; ${proposed ? `did you mean \`${proposed}\`?` : `there are ${names.join(', ')}`}`;
};

/** Literal addresses only: a name that does not resolve would look like a block. */
const canaries: Format = (value) => {
  const wrong = (value as string[]).find((one) => !isEndpoint(one));
  return wrong === undefined
    ? undefined
    : `holds "${wrong}"; each must be an address and a port, such as \`192.0.2.10:443\` or \`[2001:db8::10]:443\``;
};

function isEndpoint(text: string): boolean {
  const [, six, four, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):([1-9][0-9]{0,4})$/.exec(text) ?? [];
  const address = parseAddress(six ?? four ?? '');
  return !('problem' in address) && (address.family === 6) === (six !== undefined) && Number(port) <= 65535;
}

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const ZONE = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`);
const zone: Format = (value) =>
  ZONE.test(String(value)) && String(value).length <= 200
    ? undefined
    : 'must be a DNS zone of at least two labels in lower case, such as `canary.example.com`';

const httpURL: Format = (value) => {
  const text = String(value);
  const isURL = /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
  return isURL ? undefined : 'must be an http or https URL';
};

/** As the API server bounds the name of a field manager (apimachinery, meta/v1 validation). */
const fieldOwner: Format = (value) =>
  /^[\x21-\x7e]{1,128}$/.test(String(value)) ? undefined : 'must be 1 to 128 printable ASCII characters';

const MAX_EPOCH = 256;
const epoch: Format = (value) =>
  String(value).length <= MAX_EPOCH ? undefined : `must have at most ${MAX_EPOCH} characters`;

export const PROBE_FORMATS: Readonly<Record<string, Format>> = {
  probeImage: image,
  deniedURL: httpURL,
  fieldOwner,
  'probe.timeout': between('30s', '1h'),
  'probe.settle': between('1s', '10m'),
  'probe.validFor': between('1m', '8760h'),
  'probe.acceptGaps': gaps,
  'probe.canaries': canaries,
  'probe.dnsCanaryZone': zone,
  'probe.epoch': epoch,
};
