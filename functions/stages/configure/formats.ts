// What single options must look like beyond their type. Each says what is wrong, or nothing.
import { isDNSLabel, isLabelKey, isLabelValue } from '../../kubernetes/label';
import { GATEWAY_AUDIENCE } from '../../options';
import { PROBE_FORMATS } from './probe-formats';

type Format = (value: unknown) => string | undefined;

const namespaceName: Format = (value) =>
  isDNSLabel(String(value)) ? undefined : 'must be the name of a Namespace: at most 63 of a-z, 0-9 and `-`';

const namespaceNames: Format = (value) => {
  const wrong = (value as string[]).find((name) => !isDNSLabel(name));
  return wrong === undefined ? undefined : `holds "${wrong}", which is no name of a Namespace`;
};

const directory: Format = (value) => {
  const parts = String(value).split('/');
  const legal = parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part));
  return legal
    ? undefined
    : 'must be a folder inside the package, such as `generated`: no leading `/`, no `..`, no hidden folder';
};

const labels: Format = (value) => {
  const wrong = Object.entries(value as Record<string, string>).find(
    ([key, one]) => !isLabelKey(key) || !isLabelValue(one),
  );
  return wrong ? `holds "${wrong[0]}: ${wrong[1]}", which is no label` : undefined;
};

const ACCESS_FIELDS = ['namespaces', 'organizations', 'tiers'];
const tierAccess: Format = (value) => {
  for (const entry of value as Record<string, unknown>[]) {
    const unknown = Object.keys(entry).find((key) => !ACCESS_FIELDS.includes(key));
    if (unknown) return `holds the unknown field "${unknown}"; an entry has ${ACCESS_FIELDS.join(', ')}`;
    if (Object.keys(entry).length === 0)
      return 'holds an empty entry, which would allow everything; name namespaces, organizations or tiers';
    const wrong = Object.entries(entry).find(([, list]) => !isNameList(list));
    if (wrong) return `has a \`${wrong[0]}\` that is no list of names`;
  }
  return undefined;
};
const isNameList = (list: unknown): boolean =>
  Array.isArray(list) && list.length > 0 && list.every((one) => typeof one === 'string' && one !== '');

const nonEmpty: Format = (value) => (value === '' ? 'must not be empty' : undefined);

/** What must not be got without evidence: the gateway's token, and by its usual names the API server's. */
const WITHOUT_EVIDENCE = /^(?:https:\/\/)?kubernetes\.default(?:\.svc(?:\..*)?)?(?:[:/].*)?$/;
const brokerAudience: Format = (value) => {
  const audience = String(value);
  if (audience !== GATEWAY_AUDIENCE && !WITHOUT_EVIDENCE.test(audience)) return nonEmpty(value);
  return 'must be the identity broker: a token for the gateway or the API server would need no evidence';
};

export const FORMATS: Readonly<Record<string, Format>> = {
  controlPlaneNamespace: namespaceName,
  dnsNamespace: namespaceName,
  'dns.namespace': namespaceName,
  'dns.podLabels': labels,
  namespace: namespaceName,
  warmPoolNamespaces: namespaceNames,
  'output.directory': directory,
  attestationAudience: brokerAudience,
  platformURL: nonEmpty,
  tierAccess,
  ...PROBE_FORMATS,
};
