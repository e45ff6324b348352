// The commands, run in this process on small packages: what they print, where, and how they end.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Context, suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../functions/cli/command-line';
import type { Shell } from '../functions/cli/shell';

const IMAGE = `registry.example/agent@sha256:${'0'.repeat(64)}`;
const TIER = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata:
  name: tier-0
spec:
  runtimeClassName: gvisor
  isolation: gvisor
  defaultResources:
    limits: {cpu: "1", memory: 1Gi}
`;
const seat = (
  name: string,
  more = '',
  organization = 'acme',
  namespace = 'agents',
) => `apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  organization: ${organization}
  tierRef: {name: tier-0}
  harness: {adapter: claude-code, image: "${IMAGE}"}
${more}`;
const SERVICE = `# Ours, by hand.
apiVersion: v1
kind: Service
metadata: {name: 'web'} # keep
spec: {ports: [{port: 0080}]}
`;
const CONFIG = (spec: string) => `apiVersion: seatplan.dev/v1alpha1
kind: ExpandSeats
metadata:
  name: config
spec: ${spec}
`;
const PACKAGE = { 'tiers.yaml': TIER, 'seats.yaml': seat('ana'), 'web/service.yaml': SERVICE };

interface Ended {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}
type Files = Readonly<Record<string, string>>;
interface Folder {
  root: string;
  write: (files: Files) => string;
  seatplan: (words: readonly string[], more?: Partial<Shell> & { stdin?: string }) => Promise<Ended>;
}

async function seatplan(words: readonly string[], more: Partial<Shell> & { stdin?: string } = {}): Promise<Ended> {
  const written = { output: '', errors: '' };
  const sink = (name: keyof typeof written) => ({
    colours: false,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const shell: Shell = {
    environment: {},
    version: '9.9.9',
    output: sink('output'),
    errors: sink('errors'),
    readStdin: () => Buffer.from(more.stdin ?? ''),
    processID: process.pid,
    isRunning: () => false,
    ...more,
  };
  const exitCode = await run(words, shell);
  return { exitCode, ...written };
}

const inFolder = (name: string) => {
  const tests = suite<Folder>(name);
  tests.before.each((context: Folder & Context) => {
    const root = mkdtempSync(join(tmpdir(), 'seatplan-cli-'));
    context.root = root;
    context.seatplan = seatplan;
    context.write = (files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      return root;
    };
  });
  tests.after.each(({ root }) => rmSync(root, { recursive: true }));
  return tests;
};
const kinds = (output: string): string[] => [...output.matchAll(/^kind: (\S+)$/gm)].map(([, kind = '']) => kind);
const SEAT_KINDS = ['ServiceAccount', 'ConfigMap', 'NetworkPolicy', 'PersistentVolumeClaim', 'StatefulSet'];
const codes = (json: string): string[] => JSON.parse(json).findings.map(({ code }: { code: string }) => code);

const usage = suite('usage');
const wrong: Record<string, readonly string[]> = {
  'no command': [],
  'an unknown command': ['rendr'],
  'an unknown flag': ['render', '--al'],
  'an unknown flag of the program': ['--frobnicate'],
  'two sources': ['render', 'a', 'b'],
  'an unknown output': ['render', '--output', 'xml'],
  'an output folder without a path': ['render', '--output', 'dir='],
  'an unknown format': ['validate', '--format', 'html'],
  'an empty platform path': ['validate', '--platform', ''],
  'a missing value': ['render', '--config'],
  'no seat to explain': ['explain'],
  'completion for no shell': ['completion'],
  'completion for an unknown shell': ['completion', 'csh'],
};
for (const [sentence, words] of Object.entries(wrong)) {
  usage(`${sentence} is wrong usage: exit code 2, help on stderr only`, async () => {
    const { exitCode, output, errors } = await seatplan(words);
    assert.is(exitCode, 2);
    assert.is(output, '');
    assert.match(errors, /seatplan|Usage/);
  });
}
usage('--version and --help are asked for, so they go to stdout', async () => {
  assert.equal(await seatplan(['--version']), { exitCode: 0, output: '9.9.9\n', errors: '' });
  for (const words of [
    ['--help'],
    ['render', '--help'],
    ['validate', '--help'],
    ['explain', '--help'],
    ['completion', '--help'],
  ]) {
    const { exitCode, output, errors } = await seatplan(words);
    assert.is(exitCode, 0);
    assert.is(errors, '');
    assert.match(output, 'Examples:');
  }
});
usage('what the user typed cannot command a terminal', async () => {
  const { errors } = await seatplan(['render', '--x\u001b[2J\n::error::y']);
  assert.not.match(errors, /\u001b|^::/m);
});
usage.run();

const render = inFolder('render');
render('prints the objects of the seats, in order, and nothing else', async ({ write, seatplan }) => {
  const { exitCode, output } = await seatplan(['render', write(PACKAGE)]);
  assert.is(exitCode, 0);
  assert.equal(kinds(output), SEAT_KINDS);
});
render('prints one v1 List as JSON', async ({ write, seatplan }) => {
  const list = JSON.parse((await seatplan(['render', '--output', 'json', write(PACKAGE)])).output);
  assert.is(`${list.apiVersion} ${list.kind}`, 'v1 List');
  assert.equal(
    list.items.map(({ kind }: { kind: string }) => kind),
    SEAT_KINDS,
  );
});
render('adds the inputs, or the whole package byte for byte', async ({ write, seatplan }) => {
  const root = write({
    ...PACKAGE,
    'config.yaml': CONFIG('{}'),
    Kptfile: 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: x}\n',
  });
  const kept = (await seatplan(['render', '--keep-inputs', root])).output;
  assert.equal(kinds(kept).sort(), [...SEAT_KINDS, 'Seat', 'TrustTier'].sort());
  const all = (await seatplan(['render', '--all', root])).output;
  assert.match(all, SERVICE);
  assert.not.match(all, /Kptfile|ExpandSeats/);
});
render('writes a folder of files', async ({ root, write, seatplan }) => {
  const out = `${root}-out/x`;
  const { exitCode, output } = await seatplan(['render', `--output=dir=${out}`, write(PACKAGE)]);
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
  const found = files.flatMap((name) => kinds(readFileSync(join(out, name), 'utf8')));
  rmSync(`${root}-out`, { recursive: true });
  assert.is(exitCode, 0);
  assert.is(output, '');
  assert.equal(found.sort(), [...SEAT_KINDS].sort());
});
render('an output folder inside the package is not read by the next run', async ({ root, write, seatplan }) => {
  write(PACKAGE);
  const words = ['render', '--all', '--output', `dir=${root}/out`, root];
  await seatplan(words);
  const first = readdirSync(root, { recursive: true });
  assert.is((await seatplan(words)).exitCode, 0);
  assert.equal(readdirSync(root, { recursive: true }), first);
});
render('reads one file, or stdin, or a ResourceList on stdin', async ({ write, root, seatplan }) => {
  const text = `${TIER}---\n${seat('ana')}`;
  write({ 'both.txt': text });
  const expected = (await seatplan(['render', join(root, 'both.txt')])).output;
  assert.equal(kinds(expected), SEAT_KINDS);
  assert.is((await seatplan(['render', '-'], { stdin: text })).output, expected);
  const items = [TIER, seat('ana')].map((one) => `- ${one.trimEnd().replaceAll('\n', '\n  ')}\n`).join('');
  const list = `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${items}`;
  assert.is((await seatplan(['render', '-'], { stdin: list })).output, expected);
});
render('prints nothing but findings when there is an error', async ({ write, root, seatplan }) => {
  write({ ...PACKAGE, 'bad.yaml': seat('ben').replace('tier-0', 'tier-9') });
  const { exitCode, output, errors } = await seatplan(['render', root]);
  assert.is(exitCode, 1);
  assert.is(output, '');
  assert.match(
    errors,
    new RegExp(`^${root}/bad\\.yaml:8:\\d+: error UNKNOWN_TIER Seat/agents/ben spec\\.tierRef\\.name: `, 'm'),
  );
});
render('touches no output folder when there is an error', async ({ write, root, seatplan }) => {
  write({ 'a.yaml': 'kind: [' });
  assert.is((await seatplan(['render', '--output', `dir=${root}/out`, root])).exitCode, 1);
  assert.equal(readdirSync(root), ['a.yaml']);
});
render('fails without a seat, unless that is meant', async ({ write, root, seatplan }) => {
  write({ 'tiers.yaml': TIER });
  const { exitCode, output, errors } = await seatplan(['render', root]);
  assert.is(exitCode, 1);
  assert.is(output, '');
  assert.match(errors, 'NOTHING_TO_RENDER');
  assert.is((await seatplan(['render', '--allow-empty', root])).exitCode, 0);
  assert.is((await seatplan(['render', '-'], { stdin: '' })).exitCode, 1);
});
render('cannot read what is not there', async ({ root, seatplan }) => {
  const { exitCode, output, errors } = await seatplan(['render', `${root}/gone`]);
  assert.is(exitCode, 1);
  assert.is(output, '');
  assert.match(errors, `${root}/gone`);
});
render('--quiet hides what only informs', async ({ write, root, seatplan }) => {
  write({ ...PACKAGE, 'values.yaml': 'a: 1\n' });
  assert.match((await seatplan(['render', root])).errors, 'NOT_A_RESOURCE');
  assert.not.match((await seatplan(['render', '--quiet', root])).errors, ' info ');
});
render.run();

const levels = inFolder('levels');
levels('a platform rules over the package, by flag or by environment', async ({ write, root, seatplan }) => {
  write({ 'package/a.yaml': `${TIER}---\n${seat('ana')}`, 'platform/tier.yaml': TIER.replace('"1"', '"2"') });
  const words = ['validate', '--format', 'json', `${root}/package`];
  assert.not.ok(codes((await seatplan(words)).output).includes('TIER_DIFFERS'));
  assert.ok(codes((await seatplan([...words, '--platform', `${root}/platform`])).output).includes('TIER_DIFFERS'));
  const environment = { SEATPLAN_PLATFORM: `${root}/platform/tier.yaml` };
  assert.ok(codes((await seatplan(words, { environment })).output).includes('TIER_DIFFERS'));
});
levels('a platform that is empty or not there is refused', async ({ write, root, seatplan }) => {
  write({ 'package/a.yaml': TIER, 'platform/notes.txt': '' });
  for (const path of ['platform', 'gone']) {
    const { exitCode, errors } = await seatplan(['validate', '--platform', `${root}/${path}`, `${root}/package`]);
    assert.is(exitCode, 1);
    assert.match(errors, `${root}/${path}`);
  }
});
levels('a finding about the platform names its file', async ({ write, root, seatplan }) => {
  write({ 'package/a.yaml': TIER, 'platform/config.yaml': CONFIG('{requireTeir: false}') });
  const { output } = await seatplan([
    'validate',
    '--format',
    'json',
    '--platform',
    `${root}/platform`,
    `${root}/package`,
  ]);
  assert.equal(
    JSON.parse(output).findings.map(({ code, file }: { code: string; file: string }) => [code, file]),
    [['UNKNOWN_OPTION', `${root}/platform/config.yaml`]],
  );
});
levels('one of two configs is chosen by name', async ({ write, root, seatplan }) => {
  write({
    ...PACKAGE,
    'one.yaml': CONFIG('{imagePullPolicy: Always}'),
    'two.yaml': CONFIG('{imagePullPolicy: Never}'),
  });
  assert.match((await seatplan(['render', root])).errors, 'DUPLICATE_CONFIG');
  const { exitCode, output } = await seatplan(['render', '--config', `${root}/two.yaml`, root]);
  assert.is(exitCode, 0);
  assert.match(output, 'imagePullPolicy: Never');
});
levels('a config file must hold one object', async ({ write, root, seatplan }) => {
  write({ ...PACKAGE, 'both.txt': `${CONFIG('{}')}---\n${CONFIG('{}')}`, 'none.txt': '# nothing\n' });
  for (const name of ['both.txt', 'none.txt']) {
    assert.is((await seatplan(['render', '--config', `${root}/${name}`, root])).exitCode, 2);
  }
});
levels.run();

const validate = inFolder('validate');
validate('prints findings on stdout, and only then fails', async ({ write, root, seatplan }) => {
  const good = await seatplan(['validate', write(PACKAGE)]);
  assert.is(good.exitCode, 0);
  assert.match(good.errors, '2 objects checked');
  write({ 'seats.yaml': seat('ana').replace('organization: acme', 'organisation: acme') });
  const bad = await seatplan(['validate', root]);
  assert.is(bad.exitCode, 1);
  assert.match(
    bad.output,
    new RegExp(`^${root}/seats.yaml:7:\\d+: error UNKNOWN_FIELD Seat/agents/ana spec.organisation: `, 'm'),
  );
});
validate('prints JSON, SARIF and JUnit, whole and alone on stdout', async ({ write, root, seatplan }) => {
  const limits = '  resources: {limits: {cpu: "1", memory: 1Gi}}\n';
  write({ 'seats.yaml': seat('ana', limits) });
  const json = await seatplan(['validate', '--format', 'json', root]);
  assert.equal(codes(json.output), ['UNKNOWN_TIER']);
  assert.is(json.exitCode, 1);
  assert.is(json.errors, '');
  const sarif = JSON.parse((await seatplan(['validate', '--format', 'sarif', root])).output);
  assert.is(sarif.runs[0].results[0].ruleId, 'UNKNOWN_TIER');
  const { output } = await seatplan(['validate', '--format', 'junit', root]);
  assert.match(
    output,
    /<testcase classname="[^"]*\/seats.yaml" name="Seat\/agents\/ana">\s*<failure type="UNKNOWN_TIER"/,
  );
});
validate('a file name cannot command a CI system', async ({ write, root, seatplan }) => {
  write({ '::error::x\n##vso[y].yaml': 'kind: [' });
  const { output } = await seatplan(['validate', '-'], { stdin: 'kind: [' });
  assert.match(output, /^-:1:\d+: error INVALID_YAML/);
  for (const format of ['text', 'json', 'sarif', 'junit']) {
    const text = (await seatplan(['validate', '--format', format, root])).output;
    assert.match(text, 'INVALID_YAML');
    assert.not.match(text, /^\s*::|##[a-z]*\[/m);
  }
});
validate.run();

const explain = inFolder('explain');
const TEAM = {
  'tiers.yaml': TIER,
  'seats.yaml': [
    seat('ana'),
    seat('ben', '  key: writer\n'),
    seat('eve', '', 'beta', 'one'),
    seat('eve', '', 'acme', 'two'),
  ].join('---\n'),
};
for (const name of ['ben', 'agents/ben', 'acme/writer']) {
  explain(`finds a seat as ${name}`, async ({ write, seatplan }) => {
    const { exitCode, output } = await seatplan(['explain', name, write(TEAM)]);
    assert.is(exitCode, 0);
    assert.match(output, /^Seat agents\/ben, ben, acme\/writer$/m);
    assert.match(output, /^spec\.key +writer +seat$/m);
    assert.match(output, /^runtimeClassName +gvisor +tier$/m);
    assert.match(output, /^spec\.state +Running +default$/m);
    assert.match(output, /^platformURL +\S+ +options$/m);
  });
}
explain(
  'names the choices for a name of two seats, and the nearest for a name of none',
  async ({ write, seatplan }) => {
    const both = await seatplan(['explain', 'eve', write(TEAM)]);
    assert.is(both.exitCode, 1);
    assert.is(both.output, '');
    assert.match(both.errors, /one\/eve, two\/eve/);
    assert.match((await seatplan(['explain', 'agents/benn', write(TEAM)])).errors, 'did you mean "agents/ben"');
    assert.match((await seatplan(['explain', 'nobody-at-all', write(TEAM)])).errors, 'agents/ana');
  },
);
explain('says what was dropped', async ({ write, seatplan }) => {
  const tier = `${TIER}  allowedProviderTools: [web_search]\n`;
  const tools = seat('ana').replace(
    'adapter:',
    'model: {connection: c, name: m, providerTools: [web_search, code_execution]}, adapter:',
  );
  const root = write({ 'tiers.yaml': tier, 'seats.yaml': tools });
  const { exitCode, output } = await seatplan(['explain', 'ana', root]);
  assert.is(exitCode, 0);
  assert.match(output, /code_execution .*dropped/);
  assert.match(output, 'warning PROVIDER_TOOL_REMOVED');
  const {
    decisions,
    findings,
    seat: name,
  } = JSON.parse((await seatplan(['explain', '--output', 'json', 'ana', root])).output);
  assert.is(name, 'agents/ana');
  assert.ok(
    decisions.some(({ field, from }: { field: string; from: string }) => field === 'isolation' && from === 'tier'),
  );
  assert.ok(
    findings.some(
      ({ code, item }: { code: string; item: unknown }) => code === 'PROVIDER_TOOL_REMOVED' && item === undefined,
    ),
  );
});
explain('shows the findings of a seat that is refused', async ({ write, root, seatplan }) => {
  write({ ...TEAM, 'bad.yaml': seat('bad').replace('organization: acme', 'organization: 7') });
  const bad = await seatplan(['explain', 'bad', root]);
  assert.is(bad.exitCode, 1);
  assert.match(bad.output, 'INVALID_TYPE');
  const good = await seatplan(['explain', 'ana', root]);
  assert.is(good.exitCode, 0);
  assert.not.match(good.output, 'INVALID_TYPE');
});
explain.run();
