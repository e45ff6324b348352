// The agent behind a real firewall: what each way to stop a packet looks like to it, and what arrives all the same.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { AgentTask, Target } from '../functions/model';
import { outcomeOf } from '../functions/probe/truth';
import { bundleAgent, type Ended, listens, startAgent } from '../test/agent-process';
import { must, run } from './command';
import { suiteWith } from './prerequisites';

const test = suiteWith('agent behind a firewall', 'netns');
const V4 = '10.77.0.2';
const V6 = 'fd77::2';
const OPEN = 8080;
const DNS = 5353;
/** Nobody listens there. */
const CLOSED = 9;
/** UDP: the request arrives, the reply is dropped. */
const MUTE = 3000;
/** UDP: dropped as it leaves the agent's own namespace, as some network engines do. */
const KEPT_IN = 3001;
const UDP_DROP = 3002;
const UDP_REJECT = 3003;

/** What a rule does to a connection (enforced on arrival), by family, and the word for it. */
const RULES: Record<'iptables' | 'ip6tables', Record<string, readonly [jump: string, word: string]>> = {
  iptables: {
    drop: ['DROP', 'timeout'],
    'port-unreachable': ['REJECT --reject-with icmp-port-unreachable', 'ECONNREFUSED'],
    'admin-prohibited': ['REJECT --reject-with icmp-admin-prohibited', 'EHOSTUNREACH'],
    'host-prohibited': ['REJECT --reject-with icmp-host-prohibited', 'EHOSTUNREACH'],
    'net-unreachable': ['REJECT --reject-with icmp-net-unreachable', 'ENETUNREACH'],
    reset: ['REJECT --reject-with tcp-reset', 'ECONNREFUSED'],
  },
  ip6tables: {
    drop: ['DROP', 'timeout'],
    'port-unreachable': ['REJECT --reject-with icmp6-port-unreachable', 'ECONNREFUSED'],
    'adm-prohibited': ['REJECT --reject-with icmp6-adm-prohibited', 'EACCES'],
    'policy-fail': ['REJECT --reject-with icmp6-policy-fail', 'EACCES'],
    'no-route': ['REJECT --reject-with icmp6-no-route', 'ENETUNREACH'],
    'addr-unreachable': ['REJECT --reject-with icmp6-addr-unreachable', 'EHOSTUNREACH'],
    reset: ['REJECT --reject-with tcp-reset', 'ECONNREFUSED'],
  },
};
const STOPPED = Object.entries(RULES).flatMap(([program, rules]) =>
  Object.entries(rules).map(([name, [jump, word]]) => ({ id: `${program} ${name}`, program, jump, word })),
);
const portOf = (id: string): number => 2000 + STOPPED.findIndex((one) => one.id === id);

const both = (name: string, kind: Target['kind'], port: number, more: Partial<Target> = {}): Target[] =>
  [V4, V6].map((address) => ({ id: `${name} ${address}`, kind, address, port, ...more }));
const NAMED = { name: '{nonce}.probe.invalid.' };
/** Targets that no rule of the table is about, and the one word that all attempts end with. */
const OTHERS: readonly (readonly [targets: readonly Target[], word: string])[] = [
  [both('http', 'http', OPEN), 'echo'],
  [both('tcp', 'tcp', OPEN), 'connected'],
  [both('udp', 'udp', OPEN), 'echo'],
  [both('dns over UDP', 'dns-udp', DNS, NAMED), 'answer:REFUSED'],
  [both('dns over TCP', 'dns-tcp', DNS, NAMED), 'answer:REFUSED'],
  [both('closed tcp', 'tcp', CLOSED), 'ECONNREFUSED'],
  [both('closed udp', 'udp', CLOSED), 'ECONNREFUSED'],
  [both('udp dropped', 'udp', UDP_DROP), 'timeout'],
  [both('udp rejected', 'udp', UDP_REJECT), 'ECONNREFUSED'],
  [both('udp without its reply', 'udp', MUTE), 'timeout'],
  [both('udp kept in', 'udp', KEPT_IN), 'EPERM'],
  [[{ id: 'no route', kind: 'tcp', address: '192.0.2.1', port: 80 }], 'ENETUNREACH'],
  [[{ id: 'no route, IPv6', kind: 'tcp', address: '2001:db8::1', port: 80 }], 'ENETUNREACH'],
];

const CASES: readonly (readonly [target: Target, word: string])[] = [
  ...STOPPED.map(({ id, program, word }) => {
    const address = program === 'iptables' ? V4 : V6;
    return [{ id, kind: 'http', address, port: portOf(id) }, word] as const;
  }),
  ...OTHERS.flatMap(([targets, word]) => targets.map((target) => [target, word] as const)),
];

interface Measured {
  readonly agent: Ended;
  readonly witness: Ended;
}
const [HERE, THERE] = ['a', 'b'].map((side) => `seatplan-agent-${process.pid}-${side}`) as [string, string];
const inside = (namespace: string): string[] => ['ip', 'netns', 'exec', namespace];

/** Two namespaces and a cable between them. Without a limit on ICMP errors, each attempt gets its own. */
function connectNamespaces(): void {
  const sh = (line: string): string => must(line.split(' ') as [string, ...string[]]);
  for (const namespace of [HERE, THERE]) sh(`ip netns add ${namespace}`);
  sh(`ip -n ${HERE} link add cable type veth peer name cable netns ${THERE}`);
  for (const [namespace, end] of [[HERE, 1] as const, [THERE, 2] as const]) {
    sh(`ip -n ${namespace} addr add 10.77.0.${end}/24 dev cable`);
    sh(`ip -n ${namespace} addr add fd77::${end}/64 dev cable nodad`);
    for (const link of ['lo', 'cable']) sh(`ip -n ${namespace} link set ${link} up`);
  }
  const [here, there] = [HERE, THERE].map((namespace) => inside(namespace).join(' '));
  sh(`${there} sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0`);
  for (const { id, program, jump } of STOPPED)
    sh(`${there} ${program} -A INPUT -p tcp --dport ${portOf(id)} -j ${jump}`);
  for (const program of Object.keys(RULES)) {
    sh(`${there} ${program} -A INPUT -p udp --dport ${UDP_DROP} -j DROP`);
    sh(`${there} ${program} -A INPUT -p udp --dport ${UDP_REJECT} -j REJECT`);
    sh(`${there} ${program} -A OUTPUT -p udp --sport ${MUTE} -j DROP`);
    sh(`${here} ${program} -A OUTPUT -p udp --dport ${KEPT_IN} -j DROP`);
  }
}

let folder = '';
let measured: Promise<Measured> | undefined;
async function measure(): Promise<Measured> {
  folder = mkdtempSync(join(tmpdir(), 'seatplan-agent-'));
  process.once('exit', () => {
    for (const namespace of [HERE, THERE]) run(['ip', 'netns', 'delete', namespace]);
    rmSync(folder, { recursive: true });
  });
  const file = bundleAgent(folder);
  connectNamespaces();
  const base = { settleSeconds: 0, attemptMs: 3000 };
  const listen = {
    // where a rule stands, somebody listens too: without the rule it would be open
    tcp: [OPEN, DNS, ...STOPPED.map(({ id }) => portOf(id))],
    udp: [OPEN, DNS, MUTE, KEPT_IN, UDP_DROP, UDP_REJECT],
  };
  const witnessTask: AgentTask = { ...base, role: 'witness', nonce: 'bbbbbbbb', seconds: 60, listen, targets: [] };
  const witness = startAgent(file, witnessTask, inside(THERE));
  await Promise.all(listen.tcp.map((port) => listens(witness.pid, port)));
  const agent = await startAgent(
    file,
    {
      ...{ ...base, role: 'control', nonce: 'aaaaaaaa', seconds: 8, listen: { tcp: [], udp: [] } },
      ...{ targets: CASES.map(([target]) => target), witness: { address: V4, port: OPEN } },
    },
    inside(HERE),
  ).ended;
  process.kill(witness.pid, 'SIGTERM');
  return { agent, witness: await witness.ended };
}
const once = (): Promise<Measured> => (measured ??= measure());

for (const [{ id }, word] of CASES) {
  test(`${id}: ${word}`, async () => {
    const { agent } = await once();
    assert.ok(agent.result, agent.stderr || agent.message);
    assert.equal([...new Set(agent.result?.attempts[id]?.map(([result]) => result))], [word]);
    const isOpen = word === 'echo' || word === 'connected' || word.startsWith('answer:');
    assert.is(outcomeOf(word), isOpen ? 'connected' : 'blocked');
  });
}

test('the witness heard what arrived, also where the agent saw no reply, and nothing else', async () => {
  const { agent, witness } = await once();
  const arrived = [`tcp/${DNS}`, `tcp/${OPEN}`, `udp/${MUTE}`, `udp/${DNS}`, `udp/${OPEN}`];
  assert.equal([...new Set(witness.result?.heard.map(({ port }) => port))].sort(), arrived);
  assert.equal([...new Set(agent.result?.witnessHeard?.map(({ port }) => port))].sort(), arrived);
  assert.equal([...new Set(agent.result?.witnessHeard?.map(({ nonce }) => nonce))], ['aaaaaaaaee']);
});

test('as the first process of its namespace it ends on a signal, with its result', async () => {
  await once();
  const task: AgentTask = {
    ...{ role: 'witness', nonce: 'cccccccc', seconds: 60, settleSeconds: 0, attemptMs: 1000, targets: [] },
    listen: { tcp: [OPEN], udp: [] },
  };
  const outer = startAgent(join(folder, 'probe-agent.js'), task, ['unshare', '--net', '--pid', '--fork']);
  const first = await childOf(outer.pid);
  await listens(first, OPEN);
  assert.is(/^NSpid:\s+\d+\s+(\d+)$/m.exec(readFileSync(`/proc/${first}/status`, 'utf8'))?.[1], '1');
  process.kill(first, 'SIGTERM');
  const { code, result } = await outer.ended;
  assert.is(code, 0);
  assert.is(result?.end, 'terminated');
});

async function childOf(pid: number): Promise<number> {
  for (let tries = 0; tries < 500; tries += 1) {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    if (child) return Number(child);
    await new Promise((next) => setTimeout(next, 20));
  }
  throw new Error(`process ${pid} has no child`);
}

test.run();
