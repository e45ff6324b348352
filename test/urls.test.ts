// The ports behind `platformURL` and `egressURL`, and hosts that are no Service of the control plane.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gatewayEndpoint, platformEndpoint } from '../functions/stages/resolve/urls';

const NAMESPACE = 'steadmesh-system';
type Case = readonly [url: string, podPort: number | undefined, expected: number | string | undefined];

/** A number is the port; a text the code of the problem. */
const check = (endpoint: typeof platformEndpoint, [url, podPort, expected]: Case) => {
  const { value, problem } = endpoint(url, podPort, NAMESPACE);
  assert.is(problem?.code ?? value, expected);
  if (problem) assert.is(value, undefined);
};

const platform = suite('platform URL');
const PLATFORM: Record<string, Case> = {
  'the port of the URL': ['http://platform.steadmesh-system.svc:8080', undefined, 8080],
  'the pod port wins over the port of the Service': ['http://platform.steadmesh-system.svc:80', 8080, 8080],
  'http without a port is 80': ['http://platform.steadmesh-system.svc', undefined, 80],
  'http with its default port written is 80': ['http://platform.steadmesh-system.svc:80/', undefined, 80],
  'https without a port is 443': ['HTTPS://platform.steadmesh-system', undefined, 443],
  'another scheme needs a port': ['grpc://platform.steadmesh-system', undefined, 'INVALID_OPTION'],
  'another scheme with a port': ['grpc://platform.steadmesh-system:9090', undefined, 9090],
  'another scheme with a pod port': ['grpc://platform.steadmesh-system', 9090, 9090],
  'a scheme named as a property of every object has no port': [
    'constructor://platform.steadmesh-system',
    undefined,
    'INVALID_OPTION',
  ],
  'a bare host needs a port': ['platform.steadmesh-system.svc', undefined, 'INVALID_OPTION'],
  'a host and port without a scheme': ['platform.steadmesh-system.svc:8080', undefined, 8080],
  'any cluster domain': ['http://platform.steadmesh-system.svc.k8s.example.org:8080', undefined, 8080],
  'a dot at the end': ['http://platform.steadmesh-system.svc.cluster.local.:8080', undefined, 8080],
  'upper case': ['http://Platform.Steadmesh-System.SVC:8080', undefined, 8080],
  'a path and a query': ['http://platform.steadmesh-system.svc:8080/base?x=@y', undefined, 8080],
  'another namespace': ['http://platform.other.svc:8080', undefined, 'URL_NOT_IN_CONTROL_PLANE'],
  'another namespace, whatever the pod port': ['http://platform.other.svc', 8080, 'URL_NOT_IN_CONTROL_PLANE'],
  'a name on the internet': ['https://platform.example.com', undefined, 'URL_NOT_IN_CONTROL_PLANE'],
  'a domain below the namespace that is not svc': [
    'http://a.steadmesh-system.example.com',
    undefined,
    'URL_NOT_IN_CONTROL_PLANE',
  ],
  'a name without a namespace is one of the seat’s own': [
    'http://platform:8080',
    undefined,
    'URL_NOT_IN_CONTROL_PLANE',
  ],
  'an address': ['http://10.0.0.1:8080', undefined, 'URL_NOT_IN_CONTROL_PLANE'],
  'an IPv6 address': ['http://[fd00::1]:8080', undefined, 'URL_NOT_IN_CONTROL_PLANE'],
  'a user in front of the host': [
    'http://platform.steadmesh-system.svc:8080@evil.example',
    undefined,
    'INVALID_OPTION',
  ],
  'a backslash': ['http://evil.example\\@platform.steadmesh-system.svc', undefined, 'INVALID_OPTION'],
  'no host': ['http:///platform', undefined, 'INVALID_OPTION'],
  'an empty URL': ['', undefined, 'INVALID_OPTION'],
  'port 0': ['http://platform.steadmesh-system.svc:0', undefined, 'INVALID_OPTION'],
  'port 70000': ['http://platform.steadmesh-system.svc:70000', 8080, 'INVALID_OPTION'],
  'a pod port of 70000': ['http://platform.steadmesh-system.svc:80', 70000, 'INVALID_OPTION'],
};
for (const [sentence, given] of Object.entries(PLATFORM)) platform(sentence, () => check(platformEndpoint, given));
platform.run();

const gateway = suite('egress URL');
const GATEWAY: Record<string, Case> = {
  'empty: no gateway and no problem': ['', undefined, undefined],
  'empty: no gateway, whatever the pod port': ['', 3128, undefined],
  'a bare host is 3128': ['egress.steadmesh-system.svc', undefined, 3128],
  'a bare host with a pod port': ['egress.steadmesh-system.svc', 8888, 8888],
  'a host and port without a scheme keeps its port': ['egress.steadmesh-system.svc:3129', undefined, 3129],
  'http without a port is 80, not 3128': ['http://egress.steadmesh-system.svc', undefined, 80],
  'https without a port is 443': ['https://egress.steadmesh-system.svc', undefined, 443],
  'another scheme needs a port': ['socks5://egress.steadmesh-system.svc', undefined, 'INVALID_OPTION'],
  'a gateway elsewhere': ['http://proxy.example.com:3128', undefined, 'URL_NOT_IN_CONTROL_PLANE'],
};
for (const [sentence, given] of Object.entries(GATEWAY)) gateway(sentence, () => check(gatewayEndpoint, given));
gateway.run();
