import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item } from '../functions/model';
import { OPTIONS } from '../functions/options';
import { configure } from '../functions/stages/configure';
import { readFiles } from '../functions/stages/read/files';

const items = (text: string, level: Item['level'] = 'package'): readonly Item[] =>
  readFiles([{ path: `${level}.yaml`, bytes: Buffer.from(text) }], level).value;
const expandSeats = (spec: object, level: Item['level'] = 'package'): readonly Item[] =>
  items(
    JSON.stringify({ apiVersion: 'seatplan.dev/v1alpha1', kind: 'ExpandSeats', metadata: { name: 'c' }, spec }),
    level,
  );
const configMap = (data: object): Item =>
  items(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data }))[0]!;
const settle = (spec: object, platform?: object) =>
  configure({
    config: undefined,
    items: expandSeats(spec),
    platform: platform ? expandSeats(platform, 'platform') : undefined,
  });
const codes = ({ findings }: { findings: readonly { code: string; path?: string }[] }): string[] =>
  findings.map(({ code, path }) => `${code} ${path ?? ''}`.trim());

const refused = suite('options that are refused');
const REFUSED: Record<string, [object, string]> = {
  'a misspelt option': [{ requiretier: true }, 'UNKNOWN_OPTION spec.requiretier'],
  'a misspelt option in a group': [{ output: { layuot: 'flat' } }, 'UNKNOWN_OPTION spec.output.layuot'],
  'a group that is no map': [{ probe: 'job' }, 'INVALID_OPTION spec.probe'],
  'a boolean as text': [{ requireTier: 'false' }, 'INVALID_OPTION spec.requireTier'],
  'an enum in another case': [{ imagePullPolicy: 'always' }, 'INVALID_OPTION spec.imagePullPolicy'],
  'a port out of range': [{ platformPort: 70000 }, 'INVALID_OPTION spec.platformPort'],
  'a folder outside the package': [{ output: { directory: '../x' } }, 'INVALID_OPTION spec.output.directory'],
  'a namespace that is no name': [{ namespace: 'Team_A' }, 'INVALID_OPTION spec.namespace'],
  'a probe of another mode': [{ probe: { mode: 'hook' } }, 'INVALID_OPTION spec.probe.mode'],
  'a timeout in days': [{ probe: { timeout: '1d' } }, 'INVALID_OPTION spec.probe.timeout'],
  'a timeout without end': [{ probe: { timeout: '2h' } }, 'INVALID_OPTION spec.probe.timeout'],
  'a network that settles at once': [{ probe: { settle: '0s' } }, 'INVALID_OPTION spec.probe.settle'],
  'a part of a second': [{ probe: { settle: '1500ms' } }, 'INVALID_OPTION spec.probe.settle'],
  'a gap that nobody knows': [{ probe: { acceptGaps: ['StartWindows'] } }, 'INVALID_OPTION spec.probe.acceptGaps'],
  'a canary by its name': [{ probe: { canaries: ['example.com:443'] } }, 'INVALID_OPTION spec.probe.canaries'],
  'a canary without a port': [{ probe: { canaries: ['192.0.2.1'] } }, 'INVALID_OPTION spec.probe.canaries'],
  'a canary in IPv6 without brackets': [
    { probe: { canaries: ['2001:db8::1:443'] } },
    'INVALID_OPTION spec.probe.canaries',
  ],
  'a zone of one label': [{ probe: { dnsCanaryZone: 'test' } }, 'INVALID_OPTION spec.probe.dnsCanaryZone'],
  'a probe image that is no reference': [{ probeImage: 'UPPER' }, 'INVALID_OPTION spec.probeImage'],
  'a denied URL without a scheme': [{ deniedURL: '10.0.0.1:443' }, 'INVALID_OPTION spec.deniedURL'],
  'a field manager with a space': [{ fieldOwner: 'a b' }, 'INVALID_OPTION spec.fieldOwner'],
  'a start gate, which is not built yet': [{ probe: { startGate: true } }, 'OPTION_NOT_AVAILABLE spec.probe.startGate'],
  'a gate, which is not built yet': [{ probe: { gate: true } }, 'OPTION_NOT_AVAILABLE spec.probe.gate'],
  'a time that a failure is kept, which is not built yet': [
    { probe: { failureTTL: '2m' } },
    'OPTION_NOT_AVAILABLE spec.probe.failureTTL',
  ],
  'a keeper, which is not built yet': [{ keeper: true }, 'OPTION_NOT_AVAILABLE spec.keeper'],
  'tierAccess in a package': [{ tierAccess: [{ tiers: ['a'] }] }, 'OPTION_NOT_ALLOWED spec.tierAccess'],
  'a platform that is not in the control plane': [
    { platformURL: 'http://evil.example.com' },
    'URL_NOT_IN_CONTROL_PLANE spec.platformURL',
  ],
  'a gateway that is not in the control plane': [
    { egressURL: 'http://evil.example.com' },
    'URL_NOT_IN_CONTROL_PLANE spec.egressURL',
  ],
};
for (const [sentence, [spec, code]] of Object.entries(REFUSED))
  refused(sentence, () => assert.equal(codes(settle(spec)), [code]));
refused('a default of a feature that is not built yet is no finding', () => {
  assert.equal(codes(settle({ probe: { gate: false }, admission: 'Off', keeper: false })), []);
});
refused('a seat without a probe is a weaker one', () => {
  assert.equal(codes(settle({ probe: { mode: 'none', rbac: 'namespace' } })), [
    'OPTION_LOOSENS spec.probe.mode',
    'OPTION_LOOSENS spec.probe.rbac',
  ]);
});
refused('what the probe can be told', () => {
  const probe = { timeout: '5m', settle: '30s', validFor: '6h', acceptGaps: [], epoch: '7' };
  const targets = { canaries: ['192.0.2.1:443', '[2001:db8::1]:443'], dnsCanaryZone: 'canary.example.com' };
  const { value, findings } = settle({ probe: { ...probe, ...targets } });
  assert.equal(findings, []);
  assert.equal(value.options.probe, {
    ...{ mode: 'job', rbac: 'cluster', acceptGaps: [], epoch: '7', ...targets },
    ...{ timeoutSeconds: 300, settleSeconds: 30, validForSeconds: 21600 },
  });
});
refused('two configs in one package', () => {
  const two = [...expandSeats({}), ...expandSeats({})];
  assert.equal(codes(configure({ config: undefined, items: two, platform: undefined })), ['DUPLICATE_CONFIG']);
});
refused('a function config of another kind', () => {
  const config = items('apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n')[0];
  assert.equal(codes(configure({ config, items: [], platform: undefined })), ['UNSUPPORTED_CONFIG']);
});
refused('a function config of another version', () => {
  const config = items('apiVersion: seatplan.dev/v2\nkind: ExpandSeats\nmetadata: {name: a}\n')[0];
  assert.equal(codes(configure({ config, items: [], platform: undefined })), ['UNSUPPORTED_VERSION apiVersion']);
});
refused.run();

const levels = suite('a package may only tighten what the platform set');
const LEVELS: Record<string, [platform: object, own: object, codes: string[]]> = {
  'it may say the same': [{ requireTier: true }, { requireTier: true }, []],
  'it may not waive the tier': [{}, { requireTier: false }, ['OPTION_NOT_ALLOWED spec.requireTier']],
  'it may demand a tier that the platform does not': [{ requireTier: false }, { requireTier: true }, []],
  'it may not allow tags': [{}, { allowImageTags: true }, ['OPTION_NOT_ALLOWED spec.allowImageTags']],
  'it may forbid tags': [{ allowImageTags: true }, { allowImageTags: false }, []],
  'it may not bring its own gateway': [
    {},
    { egressURL: 'http://egress.steadmesh-system.svc' },
    ['OPTION_NOT_ALLOWED spec.egressURL'],
  ],
  'it may not move the control plane': [
    {},
    { controlPlaneNamespace: 'mine' },
    ['OPTION_NOT_ALLOWED spec.controlPlaneNamespace'],
  ],
  'it may always pull': [{}, { imagePullPolicy: 'Always' }, []],
  'it may not stop pulling': [
    { imagePullPolicy: 'Always' },
    { imagePullPolicy: 'Never' },
    ['OPTION_NOT_ALLOWED spec.imagePullPolicy'],
  ],
  'it may choose its layout': [{ output: { layout: 'flat' } }, { output: { layout: 'split' } }, []],
};
for (const [sentence, [platform, own, expected]] of Object.entries(LEVELS)) {
  levels(sentence, () => assert.equal(codes(settle(own, platform)), expected));
}
levels('a platform level that holds nothing rules by the defaults', () => {
  const { findings } = configure({ config: undefined, items: expandSeats({ requireTier: false }), platform: [] });
  assert.equal(codes({ findings }), ['OPTION_NOT_ALLOWED spec.requireTier']);
});
levels('without a platform what loosens is a warning', () => {
  const { findings } = settle({
    requireTier: false,
    allowImageTags: true,
    allowSecretEnv: true,
    platformFromDenyAll: true,
  });
  assert.equal([...new Set(findings.map(({ code, severity }) => `${severity} ${code}`))], ['warning OPTION_LOOSENS']);
  assert.is(findings.length, 4);
});
levels.run();

const maps = suite('a ConfigMap says the same as an ExpandSeats');
maps('flat, dotted, all text', () => {
  const config = configMap({
    'output.layout': 'split',
    requireTier: 'false',
    platformPort: '9090',
    'dns.podLabels': 'k8s-app=kube-dns',
    'dns.ports': '53, 5353',
  });
  const fromMap = configure({ config, items: [], platform: undefined });
  const spec = {
    output: { layout: 'split' },
    requireTier: false,
    platformPort: 9090,
    dns: { podLabels: { 'k8s-app': 'kube-dns' }, ports: [53, 5353] },
  };
  assert.equal(fromMap.value.options, settle(spec).value.options);
});
maps('text that is no boolean is refused', () => {
  assert.equal(codes(configure({ config: configMap({ requireTier: 'no' }), items: [], platform: undefined })), [
    'INVALID_OPTION data["requireTier"]',
  ]);
});
maps('the empty ConfigMap that kpt sends leaves the package its own config', () => {
  const own = expandSeats({ output: { layout: 'split' } });
  assert.is(configure({ config: configMap({}), items: own, platform: undefined }).value.options.layout, 'split');
});
maps.run();

const docs = suite('docs/options.md');
docs('names every option', () => {
  const text = readFileSync('docs/options.md', 'utf8');
  assert.equal(
    Object.keys(OPTIONS).filter((key) => !text.includes(`\`${key}\``)),
    [],
  );
});
docs.run();
