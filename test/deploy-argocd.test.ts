// deploy/argocd says in several places what must be the same: versions, the sidecar, the health checks, the kinds that are rendered.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, matchesGlob, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments, parseDocument, Scalar } from 'yaml';
import { readResourceFiles } from '../functions/cli/walk';
import { expand } from '../functions/pipeline';
import { readFiles } from '../functions/stages/read/files';
import { fixtures } from './fixtures';

const FOLDER = resolve(__dirname, '../deploy/argocd');
const VERSION: string = require('../package.json').version;
const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const read = (file: string) => parse(textOf(file));

const test = suite('deploy/argocd');
test('names one version of seatplan everywhere, the one of package.json', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
  const named = files.flatMap((file) =>
    [...textOf(file).matchAll(/(?:seatplan\S*[-:=]| version: )v(\d+\.\d+\.\d+)/g)].map(([, version]) => [
      file,
      version,
    ]),
  );
  const WHERE = ['application', 'applicationset', 'discovery/kustomization', 'discovery/plugin', 'helm-values']
    .concat(['kustomization', 'plugin', 'sidecar'])
    .map((name) => `${name}.yaml`);
  assert.equal([...new Set(named.map(([file]) => file))].sort(), WHERE);
  assert.equal(new Set(named.map(([, version]) => version)), new Set([VERSION]));
});

test('Applications name the plugin as it calls itself, with and without discovery', () => {
  const { metadata, spec } = read('plugin.yaml');
  const { discover, ...rest } = read('discovery/plugin.yaml').spec;
  assert.equal(rest, spec);
  assert.equal(discover, { find: { command: ['node', '/app/cli.js', 'cmp', 'discover'] } });
  const plugin = { name: `${metadata.name}-${spec.version}` };
  assert.equal(read('application.yaml').spec.source.plugin, plugin);
  assert.equal(read('applicationset.yaml').spec.template.spec.source.plugin, plugin);
});

test('the ApplicationSet makes Applications such as application.yaml', () => {
  const one = read('application.yaml').spec;
  const { spec } = read('applicationset.yaml').spec.template;
  assert.equal(spec.syncPolicy, one.syncPolicy);
  assert.equal([spec.project, spec.source.repoURL], [one.project, one.source.repoURL]);
});

interface Patch {
  readonly path: string;
  readonly value: { readonly name: string };
}
test('argo-helm gets the sidecar and the volumes that kustomize gets', () => {
  const patches: readonly Patch[] = read('sidecar.yaml');
  const added = (list: string) => patches.filter(({ path }) => path.endsWith(`/${list}/-`)).map(({ value }) => value);
  const { repoServer } = read('helm-values.yaml');
  assert.equal(repoServer, { extraContainers: added('containers'), volumes: added('volumes') });
  // the chart takes containers for templates
  assert.not.match(JSON.stringify(repoServer), '{{');
});

/** Key of argocd-cm and file, as kustomization.yaml names them. */
const health = (): [key: string, file: string][] =>
  read('kustomization.yaml')
    .configMapGenerator.find(({ name }: { name: string }) => name === 'argocd-cm')
    .files.map((entry: string) => entry.split('='));

test('the health checks are those of health/, each under the key of its group and kind', () => {
  const found = readdirSync(join(FOLDER, 'health'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('/health.lua'))
    .map((path) => [`resource.customizations.health.${path.split('/').slice(0, 2).join('_')}`, `health/${path}`]);
  assert.equal(health().sort(), found.sort());
  assert.is(found.length, 5);
});

test('argo-helm gets the health checks of health/', () => {
  const document = parseDocument(textOf('helm-values.yaml'));
  const expected = Object.fromEntries(health().map(([key, file]) => [key, textOf(file)]));
  if (process.env.UPDATE_GOLDEN === '1') {
    const blocks = Object.entries(expected).map(([key, text]) => [
      key,
      Object.assign(new Scalar(text), { type: Scalar.BLOCK_LITERAL }),
    ]);
    document.setIn(['configs', 'cm'], document.createNode(Object.fromEntries(blocks)));
    const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
    const before = textOf('helm-values.yaml');
    writeFileSync(join(FOLDER, 'helm-values.yaml'), text);
    assert.is(before, text, 'rewritten: read the difference');
  }
  assert.equal(parse(textOf('helm-values.yaml')).configs.cm, expected);
});

test('the sample renders below the example of a platform level, with nothing to warn of', () => {
  const itemsOf = (name: string, level: 'package' | 'platform') =>
    readFiles(readResourceFiles(join(FOLDER, name)).files, level).value;
  const platform = itemsOf('platform', 'platform');
  const { seats, findings } = expand({ items: itemsOf('sample', 'package'), platform, findings: [] });
  assert.equal(
    findings.filter(({ severity }) => severity !== 'info').map(({ code }) => code),
    [],
  );
  assert.is(seats.length, 1);
  assert.ok(seats.every(({ tier }) => tier));
});

interface Listed {
  readonly group: string;
  readonly kind: string;
  readonly name?: string;
}
interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
test('the project allows the cluster-scoped kinds that are rendered, those of packages, and no others', () => {
  const { spec } = read('appproject.yaml');
  const listed: readonly Listed[] = spec.clusterResourceWhitelist;
  const files = fixtures().flatMap(({ folder }) =>
    ['objects.yaml', 'probe.yaml'].map((name) => join(folder, '.expected', name)).filter(existsSync),
  );
  const rendered = files
    .flatMap((file) => parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS() as Rendered | null))
    .filter((one) => one?.metadata && one.metadata.namespace === undefined) as Rendered[];
  const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '');
  const allows =
    ({ apiVersion, kind, metadata }: Rendered) =>
    (one: Listed) =>
      one.kind === kind && groupOf(apiVersion) === one.group && matchesGlob(metadata.name, one.name ?? '*');
  // whoever commits Seats must not write what a tier demands: that is for the platform's own project
  const isOfTier = ({ kind, metadata }: Rendered): boolean =>
    kind === 'ValidatingAdmissionPolicy' && metadata.name.startsWith('seatplan-tier-');
  for (const object of rendered)
    assert.is(listed.some(allows(object)), !isOfTier(object), `${object.kind} ${object.metadata.name}`);
  const needed = listed.filter((one) => rendered.some((object) => allows(object)(one)));
  assert.is(needed.length, 9);
  const ofPackages = listed.filter((one) => !needed.includes(one)).map(({ kind }) => kind);
  assert.equal(ofPackages, ['RuntimeClass', 'TrustTier']);
  for (const list of ['namespaceResourceBlacklist', 'namespaceResourceWhitelist', 'clusterResourceBlacklist'])
    assert.not(list in spec, list);
});

test('the project allows the namespaces of the sample and of the platform level', () => {
  const allowed: readonly { namespace: string }[] = read('appproject.yaml').spec.destinations;
  const used = [read('sample/seat.yaml').metadata.namespace, read('platform/options.yaml').spec.controlPlaneNamespace];
  for (const namespace of used)
    assert.ok(
      allowed.some((one) => matchesGlob(namespace, one.namespace)),
      namespace,
    );
});

test.run();
