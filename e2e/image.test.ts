// The images as anyone may run them: any user, no capability, read-only, offline, without a shell; and `--help` works.
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
      assert.match(printed, role);
    });
  }

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

  test(`${role} is not root's, and its entry point needs no shell`, () => {
    const [{ Config: config }] = JSON.parse(must(['docker', 'image', 'inspect', image], { env: docker() }));
    assert.match(config.User, /^[1-9][0-9]*(:[1-9][0-9]*)?$/);
    assert.equal(config.Entrypoint, ['node', `/app/${role}.js`]);
    for (const label of ['title', 'description', 'version', 'source', 'licenses']) {
      assert.ok(config.Labels[`org.opencontainers.image.${label}`], label);
    }
  });

  test(`${role} holds one file of ours, which anyone may read`, () => {
    const script =
      "const { readdirSync, statSync } = require('fs'); const readable = (f) => (statSync(f).mode & 0o444) === 0o444;" +
      "console.log(JSON.stringify(['/app', ...readdirSync('/app').map((f) => '/app/' + f)].map((f) => [f, readable(f)])))";
    const command = ['docker', 'run', '--rm', ...TIGHT, '--entrypoint', 'node', image, '-e', script] as const;
    assert.equal(JSON.parse(must([...command], { env: docker() })), [
      ['/app', true],
      [`/app/${role}.js`, true],
    ]);
  });
}

test.run();
