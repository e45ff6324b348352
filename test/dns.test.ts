// The DNS rule of a policy, and the `dns` options that must not be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Options } from '../functions/model';
import { type DnsProblem, dnsProblems, dnsRule } from '../functions/stages/resolve/dns';

const dns = suite('DNS');
const ports = (...numbers: number[]) =>
  numbers.flatMap((port) => [
    { protocol: 'UDP', port },
    { protocol: 'TCP', port },
  ]);
const RULES: Record<string, readonly [dns: Options['dns'], rule: unknown]> = {
  'the namespace alone': [undefined, { peers: [{ namespace: 'kube-system' }], ports: ports(53) }],
  'an empty block changes nothing': [{}, { peers: [{ namespace: 'kube-system' }], ports: ports(53) }],
  'other ports': [{ ports: [5353, 53] }, { peers: [{ namespace: 'kube-system' }], ports: ports(5353, 53) }],
  'pods of another namespace': [
    { namespace: 'openshift-dns', podLabels: { app: 'dns' } },
    { peers: [{ namespace: 'openshift-dns', podLabels: { app: 'dns' } }], ports: ports(53) },
  ],
  'pods of the same namespace': [
    { podLabels: { app: 'dns' } },
    { peers: [{ namespace: 'kube-system', podLabels: { app: 'dns' } }], ports: ports(53) },
  ],
  'addresses alone replace the namespace': [
    { cidrs: ['169.254.20.10/32'] },
    { peers: [{ cidr: '169.254.20.10/32' }], ports: ports(53) },
  ],
  'addresses beside a namespace': [
    { namespace: 'kube-system', cidrs: ['169.254.20.10/32'] },
    { peers: [{ namespace: 'kube-system' }, { cidr: '169.254.20.10/32' }], ports: ports(53) },
  ],
  'nobody left to ask is no rule, never a rule for everyone': [{ cidrs: ['nonsense'] }, undefined],
};
for (const [sentence, [given, rule]] of Object.entries(RULES)) {
  dns(sentence, () => assert.equal(dnsRule({ dns: given, dnsNamespace: 'kube-system' }), rule));
}
dns('`dnsNamespace` names the namespace', () => {
  const rule = { peers: [{ namespace: 'openshift-dns' }], ports: ports(53) };
  assert.equal(dnsRule({ dns: undefined, dnsNamespace: 'openshift-dns' }), rule);
});
const PROBLEMS: Record<string, readonly [dns: NonNullable<Options['dns']>, problems: readonly string[]]> = {
  'a metadata address may answer DNS': [{ cidrs: ['169.254.169.254/32'] }, []],
  'but nothing else': [{ cidrs: ['169.254.169.254/32'], ports: [53, 5353] }, ['METADATA_REACHABLE cidrs[0]']],
  'nor as part of a block': [{ cidrs: ['169.254.0.0/16'], ports: [5353] }, ['METADATA_REACHABLE cidrs[0]']],
  'other addresses may use other ports': [{ cidrs: ['169.254.20.10/32'], ports: [5353] }, []],
  'an address without a prefix': [{ cidrs: ['169.254.20.10'] }, ['INVALID_CIDR cidrs[0]']],
  'host bits, and too wide': [{ cidrs: ['10.0.0.1/7'] }, ['CIDR_MASKED cidrs[0]', 'CIDR_TOO_WIDE cidrs[0]']],
  'a port of another service': [{ ports: [53, 10250] }, ['OPTION_LOOSENS ports[1]']],
  'a bad port': [{ ports: [53, 0] }, ['INVALID_OPTION ports[1]']],
};
for (const [sentence, [given, problems]] of Object.entries(PROBLEMS)) {
  const line = ({ code, path }: DnsProblem) => `${code} ${path}`;
  dns(`problems: ${sentence}`, () => assert.equal(dnsProblems(given).map(line), problems));
}
dns.run();
