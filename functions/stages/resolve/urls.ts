// The pods' ports behind `platformURL` and `egressURL`, and the check that the hosts are Services of the control plane.

import type { Code } from '../../finding';
import { isDNSLabel } from '../../kubernetes/label';
import { isPort } from './ports';

/** `value` is the port to open; undefined where there is none or it cannot be told. */
export interface Endpoint {
  readonly value: number | undefined;
  readonly problem?: { readonly code: Code; readonly message: string };
}

const SCHEME_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };
const BARE_GATEWAY_PORT = 3128;

const SHAPE = 'write scheme://host:port, with no user, password or space in it';
/** Strict on purpose: readers of URLs differ on backslashes, users and missing slashes, and the runner reads this one too. */
const AUTHORITY =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:[/?#][^\s\\]*)?$/;

/** The platform's pod port: `platformPort`, by default the port of its URL. */
export const platformEndpoint = (
  platformURL: string,
  platformPort: number | undefined,
  controlPlaneNamespace: string,
): Endpoint => endpoint('platformURL', platformURL, platformPort, controlPlaneNamespace, undefined);

/** The gateway's pod port: `egressPort`, by default the port of its URL; 3128 for a bare host. An empty URL: no gateway. */
export const gatewayEndpoint = (
  egressURL: string,
  egressPort: number | undefined,
  controlPlaneNamespace: string,
): Endpoint =>
  egressURL === ''
    ? { value: undefined }
    : endpoint('egressURL', egressURL, egressPort, controlPlaneNamespace, BARE_GATEWAY_PORT);

function endpoint(
  option: string,
  url: string,
  podPort: number | undefined,
  namespace: string,
  barePort: number | undefined,
): Endpoint {
  const match = AUTHORITY.exec(url);
  if (!match) return invalid(`${option} "${url}" is not understood: ${SHAPE}`);
  const [, scheme, host = '', portText] = match;
  if (!isServiceOf(namespace, host)) {
    const message =
      `${option}: "${host}" is no Service of the namespace "${namespace}", and the policy opens only that: ` +
      `write <service>.${namespace}.svc`;
    return { value: undefined, problem: { code: 'URL_NOT_IN_CONTROL_PLANE', message } };
  }
  const urlPort = portText === undefined ? defaultPort(scheme, barePort) : Number(portText);
  if (portText !== undefined && !isPort(urlPort)) return invalid(`${option} "${url}": a port is 1 to 65535`);
  const value = podPort ?? urlPort;
  if (value === undefined) return invalid(`${option} "${url}" names no port, and its scheme has none: add one`);
  return isPort(value) ? { value } : invalid(`${option}: a port is 1 to 65535`);
}

const invalid = (message: string): Endpoint => ({ value: undefined, problem: { code: 'INVALID_OPTION', message } });

function defaultPort(scheme: string | undefined, barePort: number | undefined): number | undefined {
  if (scheme === undefined) return barePort;
  const name = scheme.toLowerCase();
  return Object.hasOwn(SCHEME_PORTS, name) ? SCHEME_PORTS[name] : undefined;
}

/** `<service>.<namespace>`, optionally `.svc` and a cluster domain: the names that cluster DNS gives a Service. */
function isServiceOf(namespace: string, host: string): boolean {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  const [, owner, svc] = labels;
  return labels.every((label) => isDNSLabel(label)) && owner === namespace && (svc === undefined || svc === 'svc');
}
