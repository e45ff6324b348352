// One object against its CRD: what the API server would say on create, all at once, with the field of each problem.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CORPUS } from '../e2e/differential/corpus';
import { decode } from '../functions/stages/read/decode';
import { checkResource } from '../functions/stages/schema';

const SEAT = {
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'Seat',
  metadata: { name: 'scribe' },
  spec: { organization: 'acme', harness: { adapter: 'x' } },
};
const TIER = {
  apiVersion: 'maqpna.com/v1alpha1',
  kind: 'TrustTier',
  metadata: { name: 'tier-0' },
  spec: { runtimeClassName: 'gvisor', isolation: 'gvisor' },
};
const seat = (spec: object, metadata: object = {}) => ({
  ...SEAT,
  metadata: { ...SEAT.metadata, ...metadata },
  spec: { ...SEAT.spec, ...spec },
});
const tier = (spec: object) => ({ ...TIER, spec: { ...TIER.spec, ...spec } });
const harness = (fields: object) => seat({ harness: { adapter: 'x', ...fields } });

function told(object: unknown, kind: 'Seat' | 'TaskRun' | 'TrustTier'): string[] {
  return checkResource(object, kind).problems.map(({ code, path }) => `${code} ${path}`);
}

const schema = suite('schema');
schema("the samples of both kinds, the reference's among them, are accepted", () => {
  for (const { kind, text } of CORPUS) assert.equal(told(decode(text).value, kind), []);
});

const SEATS: Record<string, readonly [object: unknown, ...problems: string[]]> = {
  'an unknown field': [seat({ tierref: {} }), 'UNKNOWN_FIELD spec.tierref'],
  'an unknown field in a list': [
    seat({ access: { network: [{ cidr: 'a', port: 1 }] } }),
    'UNKNOWN_FIELD spec.access.network[0].port',
  ],
  'an unknown field of the whole': [{ ...SEAT, specs: 1 }, 'UNKNOWN_FIELD specs'],
  'an unknown field with an odd name': [seat({ 'a.b': 1 }), 'UNKNOWN_FIELD spec["a.b"]'],
  'an unknown field in the status, which is not looked at otherwise': [
    { ...SEAT, status: { conditions: 'x', nope: 1, lastProbe: { time: { a: 1 } } } },
    'UNKNOWN_FIELD status.nope',
    'UNKNOWN_FIELD status.lastProbe.time.a',
  ],
  'no spec': [{ ...SEAT, spec: null }, 'MISSING_FIELD spec'],
  'a required field that is null': [seat({ organization: null }), 'MISSING_FIELD spec.organization'],
  'an object for a text': [seat({ organization: { a: 1 } }), 'INVALID_TYPE spec.organization'],
  'a number for a text': [harness({ image: 1 }), 'INVALID_TYPE spec.harness.image'],
  'a null in a list': [seat({ imagePullSecrets: [null] }), 'INVALID_TYPE spec.imagePullSecrets[0]'],
  'a broken number': [harness({ health: { port: 80.5 } }), 'INVALID_TYPE spec.harness.health.port'],
  'a port beyond the last': [harness({ health: { port: 65536 } }), 'INVALID_VALUE spec.harness.health.port'],
  'a word in the wrong case': [seat({ state: 'running' }), 'INVALID_VALUE spec.state'],
  'a quantity that is none': [
    seat({ resources: { limits: { cpu: '1 core' } } }),
    'INVALID_VALUE spec.resources.limits.cpu',
  ],
  'a float for a quantity': [seat({ resources: { limits: { cpu: 0.5 } } }), 'INVALID_TYPE spec.resources.limits.cpu'],
  'a resource with a slash': [
    seat({ resources: { limits: { 'nvidia.com/gpu': true } } }),
    'INVALID_TYPE spec.resources.limits["nvidia.com/gpu"]',
  ],
  'a list that is too long': [
    seat({ imagePullSecrets: Array.from({ length: 17 }, (_, index) => `s${index}`) }),
    'INVALID_VALUE spec.imagePullSecrets',
  ],
  'a name given twice': [
    harness({
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '1' },
        { name: 'A', value: '2' },
      ],
    }),
    'INVALID_VALUE spec.harness.env[2]',
  ],
  'a word given twice': [
    seat({ requires: { isolation: ['gvisor', 'gvisor'] } }),
    'INVALID_VALUE spec.requires.isolation[1]',
  ],
  'a length in characters, not in halves of them': [
    seat({ access: { egress: [{ host: '😀'.repeat(255) }, { host: '😀'.repeat(256) }] } }),
    'INVALID_VALUE spec.access.egress[1].host',
  ],
  'another apiVersion': [{ ...SEAT, apiVersion: 'steadmesh.io/v1' }, 'INVALID_VALUE apiVersion'],
  'no kind': [{ ...SEAT, kind: undefined }, 'MISSING_FIELD kind'],
  'a number for the kind': [{ ...SEAT, kind: 7 }, 'INVALID_TYPE kind'],
  'no metadata': [{ ...SEAT, metadata: undefined }, 'MISSING_FIELD metadata.name', 'RULE_VIOLATED spec.key'],
  'a name with a capital': [seat({ key: 'a' }, { name: 'A' }), 'INVALID_VALUE metadata.name'],
  'a name that is a number': [seat({ key: 'a' }, { name: 1 }), 'INVALID_TYPE metadata.name'],
  'a label that is a boolean': [seat({}, { labels: { a: true } }), 'INVALID_TYPE metadata.labels.a'],
  'a label value with a space': [seat({}, { labels: { a: 'b c' } }), 'INVALID_VALUE metadata.labels'],
  'a label key with two slashes': [seat({}, { labels: { 'a/b/c': 'd' } }), 'INVALID_VALUE metadata.labels'],
  'annotations beyond 256 KiB': [
    seat({}, { annotations: { a: 'é'.repeat(131_072) } }),
    'INVALID_VALUE metadata.annotations',
  ],
  'an unknown field of the metadata': [seat({}, { annotation: {} }), 'UNKNOWN_FIELD metadata.annotation'],
  'a namespace with a dot': [seat({}, { namespace: 'a.b' }), 'INVALID_VALUE metadata.namespace'],
  'an owner without a uid': [
    seat({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a' }] }),
    'INVALID_VALUE metadata.ownerReferences[0].uid',
  ],
  'a finalizer that is no name': [seat({}, { finalizers: ['a b'] }), 'INVALID_VALUE metadata.finalizers[0]'],
  'a rule at its own field': [
    harness({ env: [{ name: 'HOME', value: '/' }] }),
    'RULE_VIOLATED spec.harness.env[0].name',
  ],
  'a rule that cannot be evaluated': [seat({ session: { ttl: '1d' } }), 'RULE_VIOLATED spec.session.ttl'],
  'many problems at once': [
    seat({ organization: 'ACME', state: 1, nope: 1, harness: {} }),
    'UNKNOWN_FIELD spec.nope',
    'INVALID_VALUE spec.organization',
    'INVALID_TYPE spec.state',
    'MISSING_FIELD spec.harness.adapter',
  ],
  'a list': [[], 'INVALID_TYPE '],
  nothing: [null, 'INVALID_TYPE '],
};
for (const [sentence, [object, ...problems]] of Object.entries(SEATS)) {
  schema(sentence, () => assert.equal(told(object, 'Seat').sort(), problems.sort()));
}

const TIERS: Record<string, readonly [object: unknown, ...problems: string[]]> = {
  'a misspelt posture is not the default one': [tier({ egres: 'deny-all' }), 'UNKNOWN_FIELD spec.egres'],
  'a tier of another version': [{ ...TIER, apiVersion: 'maqpna.com/v1' }, 'INVALID_VALUE apiVersion'],
  'a negative pool': [tier({ warmPoolSize: -1 }), 'INVALID_VALUE spec.warmPoolSize'],
  'an empty runtime class': [tier({ runtimeClassName: '' }), 'INVALID_VALUE spec.runtimeClassName'],
  'a claim named twice': [
    tier({ defaultResources: { claims: [{ name: 'a' }, { name: 'a' }] } }),
    'INVALID_VALUE spec.defaultResources.claims[1]',
  ],
  'a duration that is none is no matter of the CRD': [tier({ maxSessionTTL: '1d' })],
  'int32 is a hint, as to the API server': [tier({ warmPoolSize: 3_000_000_000 })],
  'a number of 65 bits': [tier({ warmPoolSize: 2n ** 63n }), 'INVALID_VALUE spec.warmPoolSize'],
};
for (const [sentence, [object, ...problems]] of Object.entries(TIERS)) {
  schema(sentence, () => assert.equal(told(object, 'TrustTier').sort(), problems.sort()));
}

schema('the nearest right name is proposed', () => {
  assert.equal(
    checkResource(tier({ egres: 'x' }), 'TrustTier').problems.map(({ proposed }) => proposed),
    ['egress'],
  );
});
schema('the value is what the user wrote, without nulls and without defaults', () => {
  const { problems, value } = checkResource(seat({ tierRef: null, workspace: { size: null } }), 'Seat');
  assert.equal(problems, []);
  assert.equal(value, seat({ workspace: {} }));
});
schema('a quantity beyond 2^53 keeps its digits', () => {
  const { value } = checkResource(
    decode('spec: {defaultResources: {limits: {memory: 9007199254740993}}}').value,
    'TrustTier',
  );
  assert.is(
    (value as typeof TIER & { spec: { defaultResources: { limits: { memory: unknown } } } }).spec.defaultResources
      .limits.memory,
    '9007199254740993',
  );
});
schema('the object given is never changed', () => {
  const object = seat({ tierRef: null, files: { a: null } });
  const before = structuredClone(object);
  checkResource(object, 'Seat');
  assert.equal(object, before);
});
schema('any JSON is told about, never thrown at', () => {
  const field = fc.constantFrom(
    'apiVersion',
    'kind',
    'metadata',
    'spec',
    'status',
    'harness',
    'env',
    'name',
    'access',
    'network',
    'files',
    'labels',
    '__proto__',
    'constructor',
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      fc.jsonValue(),
      fc.dictionary(field, tie('json')),
      fc.array(tie('json'), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(json, fc.constantFrom('Seat', 'TrustTier'), (value, kind) => {
      assert.ok(Array.isArray(checkResource(value, kind).problems));
    }),
    { numRuns: 2000, seed: 7 },
  );
});
schema('neither depth nor size crashes', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = level % 2 ? [deep] : { a: deep };
  let lists: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) lists = [lists];
  for (const value of [deep, lists]) {
    const fields = {
      organization: value,
      files: { a: value },
      imagePullSecrets: [value],
      requires: { isolation: value },
      resources: { limits: { cpu: value } },
      nope: value,
    };
    assert.ok(
      checkResource(seat(fields, { labels: value, annotations: { a: value }, managedFields: value }), 'Seat').problems
        .length > 0,
    );
    assert.ok(checkResource({ ...SEAT, status: value }, 'Seat').problems.length >= 0);
  }
  assert.ok(
    checkResource(seat({ instructions: 'x'.repeat(2_000_000), imagePullSecrets: Array(100_000).fill('a') }), 'Seat')
      .problems.length > 0,
  );
});
schema.run();
