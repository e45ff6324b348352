// Options that would undo what a tier or the platform says, and settings that would be passed over in silence.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item } from '../functions/model';
import { configure } from '../functions/stages/configure';
import { readFiles } from '../functions/stages/read/files';

const item = (object: object, level: Item['level'] = 'package'): Item =>
  readFiles([{ path: `${level}.json`, bytes: Buffer.from(JSON.stringify(object)) }], level).value[0]!;
const expandSeats = (spec: object, level: Item['level'] = 'package'): Item =>
  item({ apiVersion: 'seatplan.dev/v1alpha1', kind: 'ExpandSeats', metadata: { name: 'c' }, spec }, level);
const configMap = (data: object, level: Item['level'] = 'package'): Item =>
  item({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data }, level);
const codes = ({ findings }: ReturnType<typeof configure>): string[] =>
  findings.map(({ severity, code, path }) => `${severity} ${code} ${path ?? ''}`.trim());
const ofPackage = (spec: object) => configure({ config: undefined, items: [expandSeats(spec)], platform: undefined });

const options = suite('options that undo what a tier says');
for (const audience of [
  'steadmesh-gateway',
  'https://kubernetes.default.svc',
  'https://kubernetes.default.svc.cluster.local',
  'kubernetes.default.svc',
])
  options(`a token for ${audience} is no attested one`, () =>
    assert.equal(codes(ofPackage({ attestationAudience: audience })), [
      'error INVALID_OPTION spec.attestationAudience',
    ]),
  );
options('DNS on a port of another service is said aloud', () => {
  assert.equal(codes(ofPackage({ dns: { cidrs: ['10.0.0.10/32'], ports: [53, 443] } })), [
    'warning OPTION_LOOSENS spec.dns.ports[1]',
  ]);
  assert.equal(codes(ofPackage({ dns: { ports: [5353, 53] } })), []);
});
options('a word that every object knows is no boolean', () => {
  const { findings } = configure({
    config: configMap({ requireTier: 'constructor' }),
    items: [],
    platform: undefined,
  });
  assert.equal(
    findings.map(({ code, value }) => [code, value]),
    [['INVALID_OPTION', 'constructor']],
  );
});
options.run();

const platform = suite('the platform level');
const governed = (above: Item, spec: object = {}) =>
  configure({ config: undefined, items: [expandSeats(spec)], platform: [above] });
platform('holds TrustTiers as objects, not inside its options', () => {
  assert.equal(codes(governed(expandSeats({ inputs: [{ kind: 'TrustTier' }] }, 'platform'))), [
    'error OPTION_NOT_ALLOWED spec.inputs',
  ]);
});
platform('holds its options in no ConfigMap, where nobody would look for them', () => {
  assert.equal(codes(governed(configMap({ imagePullPolicy: 'Always' }, 'platform'))), [
    'error UNSUPPORTED_CONFIG kind',
  ]);
});
platform('may hold a ConfigMap about something else', () => {
  assert.equal(codes(governed(configMap({ 'motd.txt': 'hello' }, 'platform'))), []);
});
platform('stands where a package may not change it, so that one mistake is told once', () => {
  const { value, findings } = governed(expandSeats({}, 'platform'), { controlPlaneNamespace: 'mine' });
  assert.equal(
    findings.map(({ code }) => code),
    ['OPTION_NOT_ALLOWED'],
  );
  assert.is(value.options.controlPlaneNamespace, 'steadmesh-system');
  const dns = governed(expandSeats({}, 'platform'), { dns: { cidrs: ['0.0.0.0/0'], ports: [80] } });
  assert.equal(codes(dns), ['error OPTION_NOT_ALLOWED spec.dns.cidrs', 'error OPTION_NOT_ALLOWED spec.dns.ports']);
  assert.is(dns.value.options.dns, undefined);
});
platform.run();
