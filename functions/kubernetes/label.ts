// What Kubernetes accepts as the key and the value of a label (k8s.io/apimachinery/pkg/util/validation).

const LONGEST_NAME = 63;
const LONGEST_PREFIX = 253;
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

export const LABEL_VALUE_RULE =
  "at most 63 characters, letters, digits, '-', '_' or '.', beginning and ending with a letter or digit";

/** The empty value is legal. */
export const isLabelValue = (text: string): boolean => text === '' || (text.length <= LONGEST_NAME && NAME.test(text));

/** A qualified name: an optional DNS subdomain and `/`, then a name. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  const prefix = slash < 0 ? undefined : text.slice(0, slash);
  const name = text.slice(slash + 1);
  const validPrefix = prefix === undefined || (prefix.length <= LONGEST_PREFIX && SUBDOMAIN.test(prefix));
  return validPrefix && name.length <= LONGEST_NAME && NAME.test(name);
}

/** A name as a Namespace's, and each part of a host's (RFC 1123): at most 63 of a-z, 0-9 and `-`. */
export const isDNSLabel = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
