// The bundled command as a process: exit codes, pipes that close or are slow, colours, and the completion scripts.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const root = mkdtempSync(join(tmpdir(), 'seatplan-process-'));
const cli = join(root, 'seatplan.js');
const SEATS = 400;
/** Objects of the probe of their namespace. */
const PROBE = 13;
const TIER = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata: {name: tier-0}
spec:
  runtimeClassName: gvisor
  isolation: gvisor
  defaultResources: {limits: {cpu: "1", memory: 1Gi}}
`;
const seat = (name: string) => `apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata: {name: ${name}, namespace: agents}
spec:
  organization: acme
  tierRef: {name: tier-0}
  harness: {adapter: claude-code, image: "registry.example/agent@sha256:${'0'.repeat(64)}"}
`;

const command = (words: readonly string[], more: { input?: string; env?: NodeJS.ProcessEnv } = {}) =>
  spawnSync(process.execPath, [cli, ...words], {
    encoding: 'utf8',
    cwd: root,
    maxBuffer: 1 << 28,
    ...more,
    env: { ...process.env, ...more.env },
  });

const has = (program: string): boolean => spawnSync('which', [program]).status === 0;

const cliProcess = suite('process');
cliProcess.before(() => {
  buildSync({
    entryPoints: [join(__dirname, '../functions/cli.ts')],
    bundle: true,
    platform: 'node',
    target: 'node20',
    outfile: cli,
  });
  writeFileSync(
    join(root, 'many.yaml'),
    [TIER, ...Array.from({ length: SEATS }, (_, n) => seat(`seat-${n}`))].join('---\n'),
  );
  writeFileSync(join(root, 'bad.yaml'), seat('ana'));
});
cliProcess.after(() => rmSync(root, { recursive: true }));

const ends: Record<string, readonly [words: readonly string[], exitCode: number, input?: string]> = {
  'a package without errors': [['validate', 'many.yaml'], 0],
  'an error finding': [['validate', 'bad.yaml'], 1],
  'a file that is not there': [['render', 'gone.yaml'], 1],
  'an empty stdin': [['render', '-'], 1, ''],
  'an unknown flag': [['render', '--nope'], 2],
  'the version': [['--version'], 0],
};
for (const [sentence, [words, exitCode, input = '']] of Object.entries(ends)) {
  cliProcess(`${sentence} ends with ${exitCode}`, () => assert.is(command(words, { input }).status, exitCode));
}
cliProcess('a bug ends with 70 and says what to report', () => {
  const preload = join(root, 'break.js');
  writeFileSync(
    preload,
    `require('node:fs').statSync = () => { throw new TypeError('broken\\n::error::\\u001b[2J'); };`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', preload, cli, 'validate', 'bad.yaml'], {
    encoding: 'utf8',
    cwd: root,
  });
  assert.is(status, 70);
  assert.is(stdout, '');
  assert.match(stderr, /seatplan \d+\.\d+\.\d+, Node v/);
  assert.match(stderr, 'TypeError: broken');
  assert.not.match(stderr, /^::|\u001b/m);
});
cliProcess('the whole output reaches a pipe that is read slowly', async () => {
  const child = spawn(process.execPath, [cli, 'render', '--quiet', 'many.yaml'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.is(text.match(/^kind: /gm)?.length, SEATS * 5 + PROBE);
  assert.ok(text.endsWith('\n'));
});
cliProcess('a reader that leaves is no crash', () => {
  const { stdout, stderr } = spawnSync(
    'sh',
    [
      '-c',
      `"${process.execPath}" "${cli}" render --quiet many.yaml | head -n 1; "${process.execPath}" "${cli}" validate bad.yaml 2>&1 >/dev/null | true`,
    ],
    { encoding: 'utf8', cwd: root },
  );
  assert.is(stdout.split('\n').length, 2);
  assert.is(stderr, '');
});
cliProcess('a full disk is an error, not a bug', () => {
  const { status, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${cli}" render many.yaml >/dev/full`], {
    encoding: 'utf8',
    cwd: root,
  });
  assert.is(status, 1);
  assert.match(stderr, 'cannot write the output: ENOSPC');
});
cliProcess('colours are for terminals only', () => {
  assert.not.match(command(['validate', 'bad.yaml']).stdout, '\u001b');
  if (!has('script')) return;
  const onTerminal = (env: NodeJS.ProcessEnv) =>
    spawnSync('script', ['-qec', `"${process.execPath}" "${cli}" validate bad.yaml`, '/dev/null'], {
      encoding: 'utf8',
      cwd: root,
      env: { ...process.env, TERM: 'xterm', ...env },
    }).stdout;
  assert.match(onTerminal({ NO_COLOR: '' }), '\u001b[1;31merror');
  assert.not.match(onTerminal({ NO_COLOR: '1' }), '\u001b');
});

/** What bash offers at the end of a line, `|` between the choices. */
const offered = (line: readonly string[]): string => {
  const script = `source <("$0" "$1" completion bash)
    COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}
    compopt() { :; }; _seatplan; IFS='|'; echo "\${COMPREPLY[*]}"`;
  return spawnSync('bash', ['-c', script, process.execPath, cli], { encoding: 'utf8' }).stdout.trim();
};
const completions: Record<string, readonly [line: readonly string[], choices: string]> = {
  commands: [['seatplan', ''], 'render|validate|explain|status|cmp|completion|--help|--version'],
  'a command begun': [['seatplan', 're'], 'render'],
  'options of the command': [['seatplan', 'render', '--a'], '--all|--allow-empty'],
  'values of an option': [['seatplan', 'validate', '--format', ''], 'text|json|sarif|junit'],
  'values by command': [['seatplan', 'render', '--output', ''], 'yaml|json|dir='],
  'values of a short option': [['seatplan', 'render', '-o', 'y'], 'yaml'],
  'no words where a path stands': [['seatplan', 'render', '--platform', ''], ''],
  shells: [['seatplan', 'completion', 'f'], 'fish'],
};
for (const [sentence, [line, choices]] of Object.entries(completions)) {
  cliProcess(`bash completes ${sentence}`, () => assert.is(offered(line), choices));
}
for (const shell of ['bash', 'zsh', 'fish']) {
  cliProcess(`${shell} accepts its script`, () => {
    const script = join(root, `completion.${shell}`);
    writeFileSync(script, command(['completion', shell]).stdout);
    if (has(shell)) assert.equal(spawnSync(shell, ['-n', script], { encoding: 'utf8' }).output, [null, '', '']);
  });
}
cliProcess.run();
