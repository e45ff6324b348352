// Small packages, and the commands run on them in this process: what they print, where, and how they end.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Context, suite } from 'uvu';
import { run } from '../functions/cli/command-line';
import type { Shell } from '../functions/cli/shell';

const IMAGE = `registry.example/agent@sha256:${'0'.repeat(64)}`;
export const TIER = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata:
  name: tier-0
spec:
  runtimeClassName: gvisor
  isolation: gvisor
  defaultResources:
    limits: {cpu: "1", memory: 1Gi}
`;
export const seat = (
  name: string,
  more = '',
  organization = 'acme',
  namespace = 'agents',
) => `apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  organization: ${organization}
  tierRef: {name: tier-0}
  harness: {adapter: claude-code, image: "${IMAGE}"}
${more}`;
export const SERVICE = `# Ours, by hand.
apiVersion: v1
kind: Service
metadata: {name: 'web'} # keep
spec: {ports: [{port: 0080}]}
`;
export const CONFIG = (spec: string) => `apiVersion: seatplan.dev/v1alpha1
kind: ExpandSeats
metadata:
  name: config
spec: ${spec}
`;
export const PACKAGE = { 'tiers.yaml': TIER, 'seats.yaml': seat('ana'), 'web/service.yaml': SERVICE };

export interface Ended {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}
export type Files = Readonly<Record<string, string>>;
export interface Folder {
  root: string;
  write: (files: Files) => string;
  seatplan: (words: readonly string[], more?: Partial<Shell> & { stdin?: string }) => Promise<Ended>;
}

export async function seatplan(
  words: readonly string[],
  more: Partial<Shell> & { stdin?: string } = {},
): Promise<Ended> {
  const written = { output: '', errors: '' };
  const sink = (name: keyof typeof written) => ({
    colours: false,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const shell: Shell = {
    environment: {},
    version: '9.9.9',
    output: sink('output'),
    errors: sink('errors'),
    readStdin: () => Buffer.from(more.stdin ?? ''),
    processID: process.pid,
    isRunning: () => false,
    ...more,
  };
  const exitCode = await run(words, shell);
  return { exitCode, ...written };
}

export const inFolder = (name: string) => {
  const tests = suite<Folder>(name);
  tests.before.each((context: Folder & Context) => {
    const root = mkdtempSync(join(tmpdir(), 'seatplan-cli-'));
    context.root = root;
    context.seatplan = seatplan;
    context.write = (files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      return root;
    };
  });
  tests.after.each(({ root }) => rmSync(root, { recursive: true }));
  return tests;
};
export const kinds = (output: string): string[] => [...output.matchAll(/^kind: (\S+)$/gm)].map(([, kind = '']) => kind);
export const SEAT_KINDS = ['ServiceAccount', 'ConfigMap', 'NetworkPolicy', 'PersistentVolumeClaim', 'StatefulSet'];
/** Of the probe of a namespace. */
export const PROBE_KINDS = [
  ...['ServiceAccount', 'ConfigMap', 'ConfigMap', 'PriorityClass', 'ClusterRole', 'ClusterRoleBinding'],
  ...['Role', 'RoleBinding', 'Role', 'RoleBinding'],
  ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'Job'],
];
export const RENDERED_KINDS = [...SEAT_KINDS, ...PROBE_KINDS];
export const codes = (json: string): string[] => JSON.parse(json).findings.map(({ code }: { code: string }) => code);
