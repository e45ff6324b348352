// Egress rules of another policy: each way to lie within the seat's own rules, and each way not to.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EgressRule } from '../functions/model';
import { all, INSIDE, linesOf, namespaceNamed, policy, resolved, tcp, WIDER } from './policy-builders';

const egress = suite('egress of another policy');
const OUTSIDE: Record<string, unknown> = {
  'no peers are everyone': { ports: tcp(80) },
  'an empty list of peers is everyone': { to: [], ports: tcp(80) },
  'null peers are everyone': { to: null, ports: tcp(80) },
  'an empty rule is everything': {},
  'a rule that is null is everything': null,
  'a peer that is empty is not understood': { to: [{}], ports: tcp(80) },
  'no ports are all ports': { to: [{ ipBlock: { cidr: '192.168.1.0/24' } }] },
  'an empty list of ports is all ports': { to: [{ ipBlock: { cidr: '192.168.1.0/24' } }], ports: [] },
  'a wider block': { to: [{ ipBlock: { cidr: '10.0.0.0/7' } }], ports: tcp(80) },
  'the block without its hole': { to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: tcp(80) },
  'the block with half of the hole': {
    to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/17'] } }],
    ports: tcp(80),
  },
  'the hole itself': { to: [{ ipBlock: { cidr: '10.1.2.0/24' } }], ports: tcp(80) },
  'a block that cannot be read': { to: [{ ipBlock: { cidr: '10.2.0.0' } }], ports: tcp(80) },
  'another port': { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }], ports: tcp(91) },
  'a range that is longer': { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }], ports: tcp(85, { endPort: 91 }) },
  'the port by another protocol': {
    to: [{ ipBlock: { cidr: '10.2.0.0/16' } }],
    ports: [{ protocol: 'UDP', port: 80 }],
  },
  'a named port may be any': { to: [{ ipBlock: { cidr: '192.168.1.0/24' } }], ports: tcp('http') },
  'a protocol that is not known': { to: [{ ipBlock: { cidr: '192.168.1.0/24' } }], ports: [{ protocol: 'ICMP' }] },
  'all namespaces': { to: [{ namespaceSelector: {} }], ports: tcp(53) },
  'namespaces by another label': { to: [{ namespaceSelector: { matchLabels: { team: 'dns' } } }], ports: tcp(53) },
  'one namespace too many': {
    to: [
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['kube-system', 'x'] }],
        },
      },
    ],
    ports: tcp(53),
  },
  'all pods where only some are open': {
    to: [{ namespaceSelector: namespaceNamed('steadmesh-system') }],
    ports: tcp(8080),
  },
  'pods of the policy’s own namespace': { to: [{ podSelector: {} }], ports: tcp(53) },
  'one peer inside and one outside': {
    to: [{ namespaceSelector: namespaceNamed('kube-system') }, { namespaceSelector: {} }],
    ports: tcp(53),
  },
  'the port of another rule': { to: [{ namespaceSelector: namespaceNamed('kube-system') }], ports: tcp(8080) },
};
for (const [sentence, rule] of Object.entries(INSIDE)) {
  egress(`inside: ${sentence}`, () => assert.equal(linesOf([resolved('a')], policy({ ...all, egress: [rule] })), []));
}
for (const [sentence, rule] of Object.entries(OUTSIDE)) {
  egress(`outside: ${sentence}`, () =>
    assert.equal(linesOf([resolved('a')], policy({ ...all, egress: [rule] })), [WIDER]),
  );
}
egress('the path is that of the first rule that opens more', () => {
  const rules = [INSIDE['the platform'], OUTSIDE['a wider block']];
  assert.equal(linesOf([resolved('a')], policy({ ...all, egress: rules })), [
    'error POLICY_WIDENS_SEAT spec.egress[1]',
  ]);
});
egress('pods of the policy’s own namespace, where the seat may reach that namespace', () => {
  const own: EgressRule[] = [{ peers: [{ namespace: 'seats' }], ports: [{ protocol: 'TCP', port: 80 }] }];
  const rule = { to: [{ podSelector: {} }], ports: tcp(80) };
  assert.equal(linesOf([resolved('a', 'with a tier', 'seats', own)], policy({ ...all, egress: [rule] })), []);
});
egress.run();
