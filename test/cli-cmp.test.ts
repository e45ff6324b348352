// `seatplan cmp generate` and `discover`: what a config management plugin prints of an app, and what it refuses.
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { OWNER_ANNOTATION, ownerOf } from '../functions/owner';
import {
  CONFIG,
  type Ended,
  type Files,
  inFolder,
  kinds,
  PACKAGE,
  RENDERED_KINDS,
  SERVICE,
  seat,
  seatplan,
} from './command';

const OURS = (list: string, more = '') => `  ${list}:\n  - image: ghcr.io/seatplan/expand-seats:v9.9.9${more}\n`;
const KUSTOMIZATION = {
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  name: 'seatplan-00-guard',
};
const OWN_KUSTOMIZATION = JSON.stringify({
  ...KUSTOMIZATION,
  metadata: {
    name: KUSTOMIZATION.name,
    annotations: {
      [OWNER_ANNOTATION]: ownerOf(
        { apiVersion: 'seatplan.dev/v1alpha1', kind: 'ExpandSeats', name: 'layout' },
        KUSTOMIZATION,
      ),
    },
  },
});
const kptfile = (pipeline: string) =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: app}\n${pipeline ? `pipeline:\n${pipeline}` : ''}`;
const parameters = (...list: unknown[]) => ({ ARGOCD_APP_PARAMETERS: JSON.stringify(list) });
const PRUNABLE: Files = { ...PACKAGE, 'namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: agents}\n' };

/** As Argo CD calls it: in the folder of the app. */
async function cmp(
  root: string,
  environment: Readonly<Record<string, string>> = {},
  step = 'generate',
): Promise<Ended> {
  const before = process.cwd();
  process.chdir(root);
  try {
    return await seatplan(['cmp', step], { environment });
  } finally {
    process.chdir(before);
  }
}

const generate = inFolder('cmp generate');
generate('prints what render --all prints', async ({ write, root }) => {
  write({ ...PACKAGE, 'config.yaml': CONFIG('{}'), Kptfile: kptfile(OURS('mutators')) });
  const { exitCode, output, errors } = await cmp(root);
  assert.is(exitCode, 0, errors);
  assert.is(output, (await seatplan(['render', '--all', root])).output);
  assert.match(output, SERVICE);
  assert.equal(
    kinds(output).filter((kind) => RENDERED_KINDS.includes(kind)),
    RENDERED_KINDS,
  );
  assert.not.match(output, /^kind: (?:Kptfile|ExpandSeats)/m);
});
generate('prints the same whatever the revision, the app and the destination', async ({ write, root }) => {
  write(PACKAGE);
  const { output } = await cmp(root);
  const environment = Object.fromEntries(
    ['REVISION', 'REVISION_SHORT', 'NAME', 'NAMESPACE', 'PROJECT_NAME', 'SOURCE_PATH', 'SOURCE_TARGET_REVISION'].map(
      (name) => [`ARGOCD_APP_${name}`, 'other'],
    ),
  );
  assert.is((await cmp(root, { ...environment, KUBE_VERSION: '1.20', PARAM_STRICT: 'x' })).output, output);
});

const configured: Readonly<Record<string, { readonly files: Files; readonly finds: RegExp }>> = {
  'the file that the Kptfile names': {
    files: {
      Kptfile: kptfile(OURS('mutators', '\n    configPath: conf/team.yaml')),
      'conf/team.yaml': CONFIG('{controlPlaneNamespace: elsewhere}'),
      'other.yaml': CONFIG('{controlPlaneNamespace: nowhere}').replace('name: config', 'name: other'),
    },
    finds: /namespace: elsewhere/,
  },
  'the data that stands in the Kptfile': {
    files: { Kptfile: kptfile(OURS('mutators', '\n    configMap: {controlPlaneNamespace: elsewhere}')) },
    finds: /namespace: elsewhere/,
  },
  'a ConfigMap in a file, which is not applied': {
    files: {
      Kptfile: kptfile(
        `${OURS('mutators', '\n    configPath: c.yaml')}${OURS('validators', '\n    configPath: ./c.yaml')}`.replace(
          './',
          '',
        ),
      ),
      'c.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: not-applied}\ndata: {controlPlaneNamespace: elsewhere}\n',
    },
    finds: /^(?![\s\S]*not-applied)[\s\S]*namespace: elsewhere/,
  },
};
for (const [what, { files, finds }] of Object.entries(configured)) {
  generate(`takes its config from ${what}`, async ({ write, root }) => {
    write({ ...PACKAGE, ...files });
    const { exitCode, output, errors } = await cmp(root);
    assert.is(exitCode, 0, errors);
    assert.match(output, finds);
  });
}

/** Files beside the package, and the finding that must be told. */
const refused: Readonly<Record<string, readonly [files: Files, line: RegExp]>> = {
  'a function of others': [
    { Kptfile: kptfile('  mutators:\n  - image: ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2\n') },
    /^Kptfile:\d+:\d+: error FUNCTION_NOT_AVAILABLE Kptfile\/app pipeline\.mutators\[0\]: .*set-labels:v0\.2/,
  ],
  'a validator of others after ours': [
    { Kptfile: kptfile(`${OURS('mutators')}  validators:\n  - image: kubeconform:v1\n`) },
    /pipeline\.validators\[0\]: .*kubeconform/,
  ],
  'a program of others': [
    { Kptfile: kptfile('  mutators:\n  - exec: "sh -c true"\n') },
    /pipeline\.mutators\[0\]: .*sh -c true/,
  ],
  'an image that only looks like ours': [
    { Kptfile: kptfile('  mutators:\n  - image: evil.example/not-expand-seats:v9.9.9\n') },
    /FUNCTION_NOT_AVAILABLE/,
  ],
  'a function of ours on a part of the package': [
    { Kptfile: kptfile(OURS('mutators', '\n    selectors: [{kind: Seat}]')) },
    /FUNCTION_NOT_AVAILABLE Kptfile\/app pipeline\.mutators\[0\]\.selectors/,
  ],
  'two configs': [
    {
      Kptfile: kptfile(`${OURS('mutators', '\n    configMap: {a: b}')}${OURS('validators')}`),
    },
    /FUNCTION_NOT_AVAILABLE Kptfile\/app pipeline\.validators\[0\]: .*same config/,
  ],
  'a config that is not there': [
    { Kptfile: kptfile(OURS('mutators', '\n    configPath: gone.yaml')) },
    /UNSUPPORTED_CONFIG Kptfile\/app pipeline\.mutators\[0\]\.configPath: .*gone\.yaml/,
  ],
  'a config outside of the app': [
    { Kptfile: kptfile(OURS('mutators', '\n    configPath: ../c.yaml')) },
    /UNSUPPORTED_CONFIG/,
  ],
  'a subpackage with a pipeline': [
    { 'sub/Kptfile': kptfile(OURS('mutators')) },
    /^sub\/Kptfile:\d+:\d+: error FUNCTION_NOT_AVAILABLE Kptfile\/app pipeline: .*application/,
  ],
  'a pipeline of another shape': [
    { Kptfile: kptfile('  mutators: {image: set-labels}\n') },
    /FUNCTION_NOT_AVAILABLE Kptfile\/app pipeline\.mutators: /,
  ],
  'a list of functions that kpt may know one day': [
    { Kptfile: kptfile('  generators:\n  - image: x\n') },
    /FUNCTION_NOT_AVAILABLE Kptfile\/app pipeline\.generators: /,
  ],
  'a Kptfile that cannot be read': [{ Kptfile: 'kind: Kptfile\npipeline: [\n' }, /INVALID_YAML/],
  'a kustomization': [
    { 'overlay/kustomization.yaml': 'resources: [../seats.yaml]\nnamePrefix: x-\n' },
    /^overlay\/kustomization\.yaml:1:1: error KUSTOMIZATION_NOT_APPLIED: .*\.krmignore/,
  ],
  'a kustomization without an ending': [{ Kustomization: '' }, /^Kustomization\S* error KUSTOMIZATION_NOT_APPLIED/],
  'a copy of a kustomization of ours': [
    {
      'kustomization.yaml': OWN_KUSTOMIZATION.replace(
        '"name":"seatplan-00-guard","annotations"',
        '"name":"mine","annotations"',
      ),
    },
    /KUSTOMIZATION_NOT_APPLIED/,
  ],
};
for (const [what, [files, line]] of Object.entries(refused)) {
  generate(`refuses ${what}`, async ({ write, root }) => {
    write({ ...PACKAGE, ...files });
    const { exitCode, output, errors } = await cmp(root);
    assert.is(exitCode, 1);
    assert.is(output, '');
    assert.match(errors, line);
    assert.is(errors.split('\n').length, 2, `one line: ${errors}`);
  });
}

generate('says when the Kptfile asks for another version, and renders', async ({ write, root }) => {
  write({ ...PACKAGE, Kptfile: kptfile(OURS('mutators').replace('v9.9.9', 'v0.0.1')) });
  const { exitCode, errors } = await cmp(root);
  assert.is(exitCode, 0);
  assert.match(errors, /^Kptfile:\d+:\d+: warning FUNCTION_NOT_AVAILABLE .*v0\.0\.1.*v9\.9\.9/);
});
generate('takes mirrors and digests of our functions for ours', async ({ write, root }) => {
  const image = `mirror.example:5000/deep/expand-seats:v9.9.9@sha256:${'0'.repeat(64)}`;
  write({
    ...PACKAGE,
    Kptfile: kptfile(`  mutators:\n  - image: ${image}\n  validators:\n  - exec: node /opt/validate-seats.js\n`),
  });
  const { exitCode, errors } = await cmp(root);
  assert.is(`${exitCode} ${errors}`, '0 ');
});
generate('passes a package that kpt rendered, in stages too', async ({ write, root }) => {
  write({
    ...PACKAGE,
    'generated/00-guard/kustomization.yaml': OWN_KUSTOMIZATION,
  });
  const { exitCode, errors } = await cmp(root);
  assert.is(exitCode, 0, errors);
});
generate('ignores a kustomization that .krmignore lists', async ({ write, root }) => {
  write({ ...PACKAGE, '.krmignore': 'base/\n', 'base/kustomization.yaml': '' });
  assert.is((await cmp(root)).exitCode, 0);
});
generate('does not print a package without a Seat unless that is meant', async ({ write, root }) => {
  write({ 'web.yaml': SERVICE });
  const { exitCode, output, errors } = await cmp(root);
  assert.is(`${exitCode} ${output}`, '1 ');
  assert.match(errors, /NOTHING_TO_RENDER.*allow-empty/);
  const allowed = await cmp(root, parameters({ name: 'allow-empty', string: 'true' }));
  assert.is(`${allowed.exitCode} ${allowed.output}`, `0 ${SERVICE}`);
});
generate('holds with strict that a warning is an error', async ({ write, root }) => {
  write(PRUNABLE);
  const loose = await cmp(root);
  assert.is(loose.exitCode, 0);
  assert.match(loose.errors, /warning NAMESPACE_PRUNABLE/);
  const strict = await cmp(root, parameters({ name: 'strict', string: 'true' }));
  assert.is(`${strict.exitCode} ${strict.output}`, '1 ');
  assert.match(strict.errors, /error NAMESPACE_PRUNABLE/);
});
for (const [what, text] of Object.entries({
  'an unknown parameter': '[{"name": "probe.mode", "string": "none"}]',
  'a parameter of every object': '[{"name": "constructor", "string": "true"}]',
  'a value that is no boolean': '[{"name": "strict", "string": "yes"}]',
  'a list as a value': '[{"name": "strict", "array": ["true"]}]',
  'no list': '{"name": "strict"}',
  'no JSON': 'strict=true',
})) {
  generate(`refuses ${what} among the parameters`, async ({ write, root }) => {
    write(PACKAGE);
    const { exitCode, output, errors } = await cmp(root, { ARGOCD_APP_PARAMETERS: text });
    assert.is(`${exitCode} ${output}`, '2 ');
    assert.match(errors, /^seatplan: this plugin [^\n]+\n$/);
  });
}
generate('takes no parameters in every way of saying so', async ({ write, root }) => {
  write(PACKAGE);
  for (const text of ['', ' ', '[]', 'null']) assert.is((await cmp(root, { ARGOCD_APP_PARAMETERS: text })).exitCode, 0);
});
generate('shows the first twenty of many errors, and none of the warnings', async ({ write, root }) => {
  const bad = Array.from({ length: 25 }, (_, n) => seat(`s${n}`).replace('tier-0', 'gone'));
  write({ ...PRUNABLE, 'bad.yaml': bad.join('---\n') });
  const { exitCode, errors } = await cmp(root);
  const lines = errors.trimEnd().split('\n');
  assert.is(exitCode, 1);
  assert.is(lines.filter((line) => line.includes(' error UNKNOWN_TIER ')).length, 20);
  assert.is(lines.length, 21);
  assert.match(lines.at(-1) ?? '', /^and 5 more/);
});
generate('refuses links out of the app, also as .krmignore', async ({ write, root }) => {
  write({ 'app/seats.yaml': PACKAGE['seats.yaml'], 'app/tiers.yaml': PACKAGE['tiers.yaml'], 'other.yaml': SERVICE });
  for (const name of ['stolen.yaml', '.krmignore', 'kustomization.yaml']) {
    const link = join(root, 'app', name);
    symlinkSync('../other.yaml', link);
    const { exitCode, output, errors } = await cmp(join(root, 'app'));
    assert.is(`${exitCode} ${output}`, '1 ', name);
    assert.match(errors, name);
    rmSync(link);
  }
  assert.is((await cmp(join(root, 'app'))).exitCode, 0);
});
generate.run();

const discover = inFolder('cmp discover');
discover('prints the files with Seats and TrustTiers, and nothing for another app', async ({ write, root }) => {
  write({
    'a/web.yaml': SERVICE,
    'chart/Chart.yaml': 'name: x\n',
    'chart/templates/x.yaml': '{{ if .Values.x }}\n{{ end }}\n',
  });
  assert.equal(await cmp(root, {}, 'discover'), { exitCode: 0, output: '', errors: '' });
  write(PACKAGE);
  assert.equal(await cmp(root, {}, 'discover'), { exitCode: 0, output: 'seats.yaml\ntiers.yaml\n', errors: '' });
});
discover.run();
