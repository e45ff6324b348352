// The inputs of the measurements: a package of N seats as people lay one out, the values that say the same to the helm
// chart, and a ResourceList full of foreign objects. Made by counting, so that every run measures the same bytes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Seats of one team live in one file. */
const SEATS_PER_TEAM = 100;
const IMAGE = `registry.example.com/agents/seat-runner@sha256:${'3f9a'.repeat(16)}`;
const GATEWAY = 'http://steadmesh-egress.steadmesh-system.svc:3128';
const SIZES = ['5Gi', '10Gi', '20Gi'] as const;
const ROLES = ['reviews pull requests', 'answers support mail', 'keeps dependencies up to date'] as const;

interface SeatValues {
  readonly name: string;
  readonly namespace: string;
  readonly size: string;
  readonly hosts: readonly string[];
  readonly instructions: string;
}

function* seats(count: number): Iterable<SeatValues> {
  for (let n = 0; n < count; n += 1) {
    const team = `team-${String(Math.floor(n / SEATS_PER_TEAM)).padStart(3, '0')}`;
    yield {
      name: `agent-${String(n).padStart(5, '0')}`,
      namespace: team,
      size: SIZES[n % SIZES.length] ?? '5Gi',
      hosts: ['api.github.com', `*.${team}.example.com`],
      instructions:
        `# Agent ${n} of ${team}\n\n` +
        `It ${ROLES[n % ROLES.length]}, and asks before it does anything that it cannot take back:\n` +
        '- read the ticket first;\n- leave a note of what was done and why;\n- stop when the tests fail twice.\n',
    };
  }
}

const TIER = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata:
  name: tier-0-gvisor
spec:
  runtimeClassName: gvisor
  isolation: gvisor
  jurisdiction: EU-DE
  egress: gateway-only
  allowedNodeLabels:
    topology.kubernetes.io/region: eu-central-1
  defaultResources:
    requests:
      cpu: 250m
      memory: 512Mi
    limits:
      cpu: "1"
      memory: 1Gi
  maxSessionTTL: 8h
`;

const CONFIG = `apiVersion: seatplan.dev/v1alpha1
kind: ExpandSeats
metadata:
  name: expand-seats
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  egressURL: ${GATEWAY}
  probe:
    mode: none # the chart renders seats only
`;

const indented = (text: string, indent: string): string => text.replace(/^(?=.)/gm, indent);

const seat = ({ name, namespace, size, hosts, instructions }: SeatValues): string => `apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  organization: acme
  tierRef:
    name: tier-0-gvisor
  harness:
    adapter: claude-code
    image: ${IMAGE}
    model:
      connection: anthropic
      name: claude-sonnet
  workspace:
    size: ${size}
  access:
    egress:
${hosts.map((host) => `      - host: "${host}"\n`).join('')}    repositories:
      - connection: github
        host: github.com
        repos: [acme/${namespace}]
        permissions:
          contents: write
          pull_requests: write
  instructions: |
${indented(instructions, '    ')}`;

/** A package folder: the tier, the config, and one file per team, or per seat. */
export function writePackage(folder: string, count: number, filePer: 'team' | 'seat' = 'team'): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tier.yaml'), TIER);
  writeFileSync(join(folder, 'expand-seats.yaml'), CONFIG);
  const files = new Map<string, string[]>();
  for (const one of seats(count)) {
    const file = filePer === 'team' ? `${one.namespace}.yaml` : `${one.name}.yaml`;
    const texts = files.get(file) ?? [];
    if (texts.push(seat(one)) === 1) files.set(file, texts);
  }
  for (const [file, texts] of files) writeFileSync(join(folder, file), texts.join('---\n'));
}

/** What the same seats say to the chart in `chart/`. Shared settings are the chart's own default values. */
export function writeValues(file: string, count: number): void {
  const text = [...seats(count)].map(
    ({ name, namespace, size, hosts, instructions }) =>
      `  - name: ${name}\n    namespace: ${namespace}\n    size: ${size}\n` +
      `    hosts: [${hosts.map((host) => `"${host}"`).join(', ')}]\n` +
      `    repository: acme/${namespace}\n    instructions: |\n${indented(instructions, '      ')}`,
  );
  writeFileSync(file, `seats:\n${text.join('')}`);
}

const header = (apiVersion: string, kind: string, n: number): string => `- apiVersion: ${apiVersion}
  kind: ${kind}
  metadata: # written by another team
    name: shop-${n}
    namespace: team-${n % 60}
    labels:
      app.kubernetes.io/name: "shop"
    annotations:
      config.kubernetes.io/index: '${n % 10}'
      config.kubernetes.io/path: 'foreign/shop-${Math.floor(n / 10)}.yaml'
      internal.config.kubernetes.io/index: '${n % 10}'
      internal.config.kubernetes.io/path: 'foreign/shop-${Math.floor(n / 10)}.yaml'
`;

const configMap = (n: number): string => `${header('v1', 'ConfigMap', n)}  data:
    mode: "0444"
    threshold: "${n}"
    motd: |
      Hello from number ${n}.
      Nothing in here is ours.
`;

const deployment = (n: number): string => `${header('apps/v1', 'Deployment', n)}  spec:
    replicas: 3
    selector:
      matchLabels: { app: shop-${n} }
    template:
      metadata:
        labels: { app: shop-${n} }
      spec:
        serviceAccountName: shop
        containers:
          - name: web
            image: registry.example.com/shop/web:1.${n % 40}.0 # bumped by a bot
            args: ["--listen", ":8080"]
            ports:
              - containerPort: 8080
            env:
              - name: SETTINGS
                valueFrom:
                  configMapKeyRef: { name: shop-${n}, key: motd }
            resources:
              requests: { cpu: 100m, memory: 128Mi }
              limits: { memory: 256Mi }
            readinessProbe:
              httpGet: { path: /ready, port: 8080 }
            volumeMounts:
              - { name: tmp, mountPath: /tmp }
        volumes:
          - name: tmp
            emptyDir: {}
`;

const foreign = (n: number): string => (n % 2 ? deployment(n) : configMap(n));

const placed = (text: string, file: string, n: number): string => {
  const at = `config.kubernetes.io/index: '${n}'\n    internal.config.kubernetes.io/index: '${n}'\n`;
  const path = `    config.kubernetes.io/path: '${file}'\n    internal.config.kubernetes.io/path: '${file}'\n`;
  const marked = text.includes('annotations:\n')
    ? text.replace('annotations:\n', `annotations:\n    ${at}${path}`)
    : text.replace('metadata:\n', `metadata:\n  annotations:\n    ${at}${path}`);
  return `- ${indented(marked, '  ').slice(2)}`;
};

/** What kpt hands to the function: foreign objects with a few seats among them. */
export function writeResourceList(file: string, foreignObjects: number, count: number): void {
  const ours = [...seats(count)].map((one, n) => placed(seat(one), 'seats.yaml', n));
  const others = Array.from({ length: foreignObjects }, (_, n) => foreign(n));
  const items = [...ours, placed(TIER, 'tier.yaml', 0), ...others].join('');
  const config = `functionConfig:\n${indented(CONFIG, '  ')}`;
  writeFileSync(file, `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${items}${config}`);
}
