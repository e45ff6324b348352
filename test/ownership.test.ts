import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expandList } from '../functions/krm';

const SEAT = (spec: string): string => `- apiVersion: steadmesh.io/v1alpha1
  kind: Seat
  metadata:
    name: x
    namespace: team-a
    annotations:
      internal.config.kubernetes.io/path: 'x.yaml'
  spec:
    organization: acme
    harness:
      adapter: claude
      image: ghcr.io/example/seat-runner@sha256:6c3c624b58dbbcd3c0dd82b4c53f04194d1247c6eebdaab7c610cf7d66709b3b
    ${spec}
`;
const CONFIG = 'functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  data:\n    requireTier: "false"\n';
const list = (items: string): string =>
  `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n${CONFIG}items:\n${items}`;

function run(text: string): { output: string; codes: string[] } {
  const { output, findings } = expandList({
    stdin: Buffer.from(text),
    platform: undefined,
    findings: [],
    logToStderr: false,
  });
  return { output: [...output].join(''), codes: findings.map(({ code }) => code) };
}
const itemsOf = (text: string): string =>
  text.slice(text.indexOf('items:\n') + 'items:\n'.length).split(/^results:/m)[0]!;

const ownership = suite('from one run to the next');
const first = run(list(SEAT('instructions: hello\n    resources: {limits: {cpu: 1, memory: 1Gi}}'))).output;
assert.ok(first.includes('kind: PersistentVolumeClaim'));

ownership('a second run changes nothing', () => assert.is(run(first).output, first));
ownership('an object that was lost comes back', () => {
  const [seat = '', , ...others] = itemsOf(first).split(/^(?=- )/m);
  const again = run(list([seat, ...others].join(''))).output;
  assert.equal(
    itemsOf(again)
      .split(/^(?=- )/m)
      .sort(),
    itemsOf(first)
      .split(/^(?=- )/m)
      .sort(),
  );
});
ownership('a seat with an error does not count as gone: its objects are not spoken of', () => {
  const { output, codes } = run(first.replace('instructions: hello', 'instruction: hello'));
  assert.equal(codes, ['UNKNOWN_FIELD', 'OPTION_LOOSENS']);
  assert.is(itemsOf(output), itemsOf(first).replace('instructions: hello', 'instruction: hello'));
});
ownership.run();
