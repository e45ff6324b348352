// `seatplan explain --capabilities`: what is provided, by what, and for the rest which kind of lack it is.
import * as assert from 'uvu/assert';
import { OPTIONS } from '../functions/options';
import { CONFIG, inFolder, PACKAGE, seat, TIER } from './command';

const capabilities = inFolder('capabilities');

const object = (apiVersion: string, kind: string, name: string, more = ''): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\n${more}`;
const CLASS = (name: string, handler: string): string =>
  object('node.k8s.io/v1', 'RuntimeClass', name, `handler: ${handler}\n`);
const TIER_1 = TIER.replace('tier-0', 'tier-1')
  .replace('runtimeClassName: gvisor', 'runtimeClassName: snp')
  .replace('isolation: gvisor', 'isolation: confidential');

const TABLE = `FEATURE                        STATE          BY, OR WHAT TO DO
isolation gvisor               Unavailable    tier tier-0: its RuntimeClass is not in the input; the probe tells, or add it
isolation microvm              Misconfigured  declare a TrustTier with \`isolation: microvm\`
`;

interface Told {
  readonly capabilities: readonly { readonly feature: string; readonly state: string; readonly note: string }[];
  readonly findings: readonly { readonly code: string; readonly kind: string }[];
}
type Seatplan = (words: readonly string[]) => Promise<{ readonly output: string; readonly exitCode: number }>;
const told = async (seatplan: Seatplan, root: string): Promise<Told> =>
  JSON.parse((await seatplan(['explain', '--capabilities', '--output', 'json', root])).output);
const stateOf = ({ capabilities: list }: Told, feature: string): string | undefined =>
  list.find((one) => one.feature === feature)?.state;

capabilities('are a table, and no seat is named', async ({ write, seatplan }) => {
  const { exitCode, output } = await seatplan(['explain', '--capabilities', write(PACKAGE)]);
  assert.is(exitCode, 0);
  assert.is(output.slice(0, TABLE.length), TABLE);
  assert.match(output, /^task runs +Provided +TaskRun/m);
});
capabilities('by the options and tiers at hand', async ({ write, seatplan }) => {
  const bare = await told(seatplan, write(PACKAGE));
  const more = await told(
    seatplan,
    write({
      ...PACKAGE,
      'classes.yaml': [CLASS('gvisor', 'runsc'), CLASS('snp', 'kata-qemu-snp')].join('---\n'),
      'tiers.yaml': [
        `${TIER}  jurisdiction: EU-DE\n  allowedNodeLabels: {region: eu}\n  allowedProviderTools: [web_search]\n`,
        `${TIER_1}  attestationRequired: true\n  egress: deny-all\n  sandboxTemplateName: warm\n`,
      ].join('---\n'),
      'template.yaml': object('extensions.agents.x-k8s.io/v1beta1', 'SandboxTemplate', 'warm', 'spec: {}\n'),
      'crds.yaml': ['sandboxes.agents.x-k8s.io', 'sandboxclaims.extensions.agents.x-k8s.io']
        .map((name) => object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', name, 'spec: {}\n'))
        .join('---\n'),
      'config.yaml': CONFIG(
        '{egressURL: "http://egress.steadmesh-system.svc:3128", admission: Deny, requireTier: false, probe: {mode: none}}',
      ),
    }),
  );
  const CHANGES: Readonly<Record<string, readonly [bare: string, more: string]>> = {
    'isolation gvisor': ['Unavailable', 'Provided'],
    'isolation microvm': ['Misconfigured', 'Provided'],
    'isolation confidential': ['Misconfigured', 'Provided'],
    attestation: ['Misconfigured', 'Provided'],
    jurisdiction: ['Misconfigured', 'Provided'],
    'egress gateway-only': ['Provided', 'Provided'],
    'egress deny-all': ['Misconfigured', 'Provided'],
    'egress to hosts': ['Misconfigured', 'Provided'],
    'egress of a browser': ['Misconfigured', 'Provided'],
    'egress to CIDRs': ['Misconfigured', 'Provided'],
    'provider tools': ['Misconfigured', 'Provided'],
    'workload Sandbox': ['Unavailable', 'Provided'],
    'workload SandboxClaim': ['Misconfigured', 'Provided'],
    'guards of the API server': ['Misconfigured', 'Provided'],
    probe: ['Provided', 'Misconfigured'],
    'session ttl of a StatefulSet': ['Unsupported', 'Unsupported'],
  };
  for (const [feature, states] of Object.entries(CHANGES))
    assert.equal([stateOf(bare, feature), stateOf(more, feature)], states, feature);
});
capabilities('a RuntimeClass that does not keep what a tier promises provides nothing', async ({ write, seatplan }) => {
  const answer = await told(seatplan, write({ ...PACKAGE, 'class.yaml': CLASS('gvisor', 'runc') }));
  assert.is(stateOf(answer, 'isolation gvisor'), 'Unsupported');
  assert.equal(
    answer.findings.map(({ code, kind }) => `${code} ${kind}`),
    ['RUNTIME_DOES_NOT_PROVIDE Unsupported'],
  );
});
capabilities('a template that is not in the input is for the cluster to tell', async ({ write, seatplan }) => {
  const tiers = `${TIER}  sandboxTemplateName: warm\n`;
  const answer = await told(
    seatplan,
    write({ 'tiers.yaml': tiers, 'seats.yaml': seat('ana', '  workload: Sandbox\n') }),
  );
  assert.is(stateOf(answer, 'workload SandboxClaim'), 'Unavailable');
});
capabilities('an option of a later version is not supported, whichever it is', async ({ write, seatplan }) => {
  const answer = await told(seatplan, write(PACKAGE));
  const later = Object.keys(OPTIONS).filter((key) => OPTIONS[key]?.later);
  assert.ok(later.includes('keeper'));
  for (const key of later) assert.is(stateOf(answer, `option ${key}`), 'Unsupported');
});
capabilities.run();
