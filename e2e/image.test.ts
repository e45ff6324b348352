// The images as anyone may run them: any user, no capability, read-only, offline, without a shell; and `--help` works.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { must, run } from './command';
import { docker, IMAGES } from './docker';
import { suiteWith } from './prerequisites';

const test = suiteWith('images', 'docker');
const TIGHT = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--network', 'none'];
const EMPTY_LIST = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n';

for (const [role, image] of Object.entries(IMAGES)) {
  for (const user of ['nobody', '12345', '1000:1000', '65534:65534']) {
    test(`${role} prints its usage as ${user}`, () => {
      const printed = must(['docker', 'run', '--rm', ...TIGHT, '--user', user, image, '--help'], { env: docker() });
      assert.match(printed, role === 'argocd-cmp' ? 'seatplan' : role);
    });
  }

  if (role === 'probe-seats') isProbe(image);
  else if (role === 'argocd-cmp') isPlugin(image);
  else isFunction(role, image);

  test(`${role} is not root's, and its entry point needs no shell`, () => {
    const [{ Config: config }] = JSON.parse(must(['docker', 'image', 'inspect', image], { env: docker() }));
    assert.match(config.User, /^[1-9][0-9]*(:[1-9][0-9]*)?$/);
    assert.equal(config.Entrypoint, ['node', `/app/${role === 'argocd-cmp' ? 'cli' : role}.js`]);
    for (const label of ['title', 'description', 'version', 'source', 'licenses']) {
      assert.ok(config.Labels[`org.opencontainers.image.${label}`], label);
    }
  });
}

function isFunction(role: string, image: string): void {
  test(`${role} reads a ResourceList and writes one`, () => {
    const env = docker();
    const printed = must(['docker', 'run', '--rm', '-i', ...TIGHT, '--user', 'nobody', image], {
      env,
      input: EMPTY_LIST,
    });
    assert.match(printed, /^kind: ResourceList$/m);
    assert.match(printed, /^items: \[\]$/m);
  });

  test(`${role} refuses an empty input, on stdout too`, () => {
    const { status, stdout } = run(['docker', 'run', '--rm', '-i', ...TIGHT, image], { env: docker() });
    assert.is(status, 1);
    assert.match(stdout, 'ResourceList');
  });

  holds(role, image, ['/app', `/app/${role}.js`]);
}

function isProbe(image: string): void {
  holds('probe-seats', image, ['/app', '/app/probe-agent.js', '/app/probe-seats.js']);

  test('probe-seats has a folder that anyone may write, which a read-only root closes', () => {
    const script =
      "const fs = require('fs'); let word = 'created'; try { fs.writeFileSync('/probe/x', '') } catch (e) { word = e.code }" +
      "console.log((fs.statSync('/probe').mode & 0o7777).toString(8), word)";
    const command = ['docker', 'run', '--rm', '--network', 'none', '--user', '12345', '--entrypoint', 'node'] as const;
    const say = (...options: string[]): string =>
      must([...command, ...options, image, '-e', script], { env: docker() }).trim();
    assert.is(say(), '1777 created');
    assert.is(say('--read-only'), '1777 EROFS');
  });

  test('probe-seats refuses to run without a plan, as bad input', () => {
    const { status, stderr } = run(['docker', 'run', '--rm', ...TIGHT, image], { env: docker() });
    assert.is(status, 64);
    assert.match(stderr, '/etc/seatplan/plan.json');
  });
}

function isPlugin(image: string): void {
  holds('argocd-cmp', image, ['/app', '/app/cli.js']);

  test("argocd-cmp is Argo CD's user, and looks for the platform level where it is mounted", () => {
    const [{ Config: config }] = JSON.parse(must(['docker', 'image', 'inspect', image], { env: docker() }));
    assert.is(config.User, '999:999');
    assert.ok(config.Env.includes('SEATPLAN_PLATFORM=/etc/seatplan'), config.Env);
    assert.ok(config.Env.includes('HOME=/tmp'), config.Env);
  });

  test("argocd-cmp holds the plugin's description, Node, and no other program that we put there", () => {
    const script =
      "const fs=require('fs'),seen=[];const walk=(f)=>fs.readdirSync(f,{withFileTypes:true}).forEach((e)=>" +
      "e.isDirectory()?walk(f+e.name+'/'):fs.statSync(f+e.name).mode&0o111&&!/\\.so(\\.|$)/.test(e.name)&&seen.push(f+e.name));" +
      "['/bin/','/sbin/','/usr/','/app/','/home/','/opt/'].filter((f)=>fs.existsSync(f)).forEach(walk);" +
      "console.log(JSON.stringify([seen,fs.readFileSync('/home/argocd/cmp-server/config/plugin.yaml','utf8')]))";
    const command = ['docker', 'run', '--rm', ...TIGHT, '--entrypoint', 'node', image, '-e', script] as const;
    const [programs, plugin] = JSON.parse(must([...command], { env: docker() }));
    assert.equal(programs, ['/usr/local/bin/node', '/app/cli.js']);
    assert.is(plugin, readFileSync(resolve(__dirname, '../deploy/argocd/plugin.yaml'), 'utf8'));
  });

  test('argocd-cmp renders nothing without a platform level', () => {
    const command = ['docker', 'run', '--rm', ...TIGHT, '--workdir', '/app', image, 'cmp', 'generate'] as const;
    const { status, stdout, stderr } = run([...command], { env: docker() });
    assert.equal([status, stdout], [1, '']);
    assert.match(stderr, '/etc/seatplan');
  });
}

function holds(role: string, image: string, files: readonly string[]): void {
  test(`${role} holds files of ours that anyone may read, and no others`, () => {
    const script =
      "const { readdirSync, statSync } = require('fs'); const readable = (f) => (statSync(f).mode & 0o444) === 0o444;" +
      "console.log(JSON.stringify(['/app', ...readdirSync('/app').map((f) => '/app/' + f)].map((f) => [f, readable(f)])))";
    const command = ['docker', 'run', '--rm', ...TIGHT, '--entrypoint', 'node', image, '-e', script] as const;
    assert.equal(
      JSON.parse(must([...command], { env: docker() })),
      files.map((file) => [file, true]),
    );
  });
}

test.run();
