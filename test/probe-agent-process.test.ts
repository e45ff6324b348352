// The agent as it ships: how its process begins and ends, and what it leaves behind.
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentResult, AgentTask } from '../functions/model';
import { AGENT_TASK } from '../functions/probe/identity';
import { bundleAgent, listens, POD_UID, startAgent } from './agent-process';

const BAD_INPUT = 64;
const NONCE = 'abcdef0123';
const folder = mkdtempSync(join(tmpdir(), 'seatplan-agent-'));
let file = '';

const agent = suite('agent process');
agent.before(() => {
  file = bundleAgent(folder);
});
agent.after(() => rmSync(folder, { recursive: true }));

const task = (more: Partial<AgentTask> = {}): AgentTask => ({
  ...{ role: 'seat', nonce: NONCE, seconds: 2, settleSeconds: 0, targets: [], attemptMs: 500 },
  listen: { tcp: [], udp: [] },
  ...more,
});
const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });

const TARGET = { id: 't0', kind: 'tcp', address: '127.0.0.1', port: 1 };
const BROKEN: Record<string, string | undefined> = {
  'no task': undefined,
  'an empty task': '',
  'a task that is no JSON': '{',
  'a task that is null': 'null',
  'a task without fields': '{}',
  'an unknown role': JSON.stringify({ ...task(), role: 'root' }),
  'a nonce that is no hex': JSON.stringify(task({ nonce: 'not-a-nonce' })),
  'a time that is a text': JSON.stringify({ ...task(), seconds: '5' }),
  'no list of targets': JSON.stringify({ ...task(), targets: {} }),
  'a target of an unknown kind': JSON.stringify({ ...task(), targets: [{ ...TARGET, kind: 'icmp' }] }),
  'a target without an address': JSON.stringify({ ...task(), targets: [{ ...TARGET, address: undefined }] }),
  'a target port that is none': JSON.stringify({ ...task(), targets: [{ ...TARGET, port: 65536 }] }),
  'a port to listen on that is none': JSON.stringify(task({ listen: { tcp: [0], udp: [] } })),
};
for (const [sentence, text] of Object.entries(BROKEN)) {
  agent(`${sentence} ends with ${BAD_INPUT}, and the message says why`, async () => {
    const { code, message, stdout } = await startAgent(file, text).ended;
    assert.is(code, BAD_INPUT);
    assert.match(message, AGENT_TASK);
    assert.is(stdout, '');
  });
}

agent('ends by itself, with one result in the message and one line in the log', async () => {
  const port = await freePort();
  const targets = [
    { id: 'self', kind: 'http', address: '127.0.0.1', port },
    { id: 'closed', kind: 'tcp', address: '127.0.0.1', port: await freePort() },
  ] as const;
  const asked = task({ listen: { tcp: [port], udp: [port] }, targets, inspect: { imageFolders: [folder] } });
  const { code, result, stdout } = await startAgent(file, asked).ended;
  assert.is(code, 0);
  assert.is(result?.end, 'done');
  assert.is(result?.podUID, POD_UID);
  assert.equal([...(result?.listening ?? [])].sort(), [`tcp/${port}`, `udp/${port}`]);
  assert.equal(
    result?.attempts.closed?.map(([word]) => word),
    ['ECONNREFUSED'],
  );
  assert.is(result?.attempts.self?.at(-1)?.[0], 'echo');
  const lines = stdout.trimEnd().split('\n');
  assert.is(lines.length, 1);
  const logged: AgentResult = JSON.parse(lines[0] ?? '');
  assert.is(logged.nonce, NONCE);
  // the mount table of this machine may be too long for a message
  assert.is(logged.seen?.writes[folder], 'created');
});

agent('without a file for its message the log still has the result', async () => {
  const nowhere = ['env', `SEATPLAN_TERMINATION_MESSAGE=${folder}/absent/message`];
  const { code, message, stdout, stderr } = await startAgent(file, task(), nowhere).ended;
  assert.is(code, 0);
  assert.is(message, '');
  assert.is(JSON.parse(stdout).end, 'done');
  assert.match(stderr, 'no termination message: Error: ENOENT');
});

agent('told to end it asks no witness, which may not answer, and further signals change nothing', async () => {
  const mute = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => mute.once('listening', done));
  const { port } = mute.address() as AddressInfo;
  const own = await freePort();
  const witness = { address: '127.0.0.1', port };
  const more = { seconds: 600, attemptMs: 600_000, listen: { tcp: [own], udp: [] } };
  const control = startAgent(file, task({ role: 'control', witness, ...more }));
  await listens(control.pid, own);
  for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT']) process.kill(control.pid, signal);
  const { code, result } = await control.ended;
  mute.close();
  assert.is(code, 0);
  assert.is(result?.end, 'terminated');
  assert.is(result?.witnessHeard, undefined);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  agent(`${signal} ends a witness, which has no end of its own, with what it heard`, async () => {
    const port = await freePort();
    const witness = startAgent(file, task({ role: 'witness', listen: { tcp: [port], udp: [] } }));
    await listens(witness.pid, port);
    const targets = [{ id: 'w', kind: 'http', address: '127.0.0.1', port }] as const;
    const asks = { address: '127.0.0.1', port };
    const control = await startAgent(file, task({ role: 'control', nonce: 'cccccccc', targets, witness: asks })).ended;
    assert.is(control.result?.attempts.w?.[0]?.[0], 'echo');
    assert.equal(control.result?.witnessHeard, [{ nonce: 'ccccccccee', port: `tcp/${port}` }]);
    process.kill(witness.pid, signal);
    const { code, result } = await witness.ended;
    assert.is(code, 0);
    assert.is(result?.end, 'terminated');
    assert.equal(
      result?.heard.map(({ nonce, from }) => [nonce, from]),
      [['ccccccccee', '127.0.0.1']],
    );
  });
}

agent.run();
