// What the end-to-end tests need from the machine: with CI set a missing tool fails them, elsewhere they skip aloud.
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Callback, suite } from 'uvu';
import { run } from './command';

/** Where `e2e/tools.sh` keeps what it builds. */
export const CACHE =
  process.env.SEATPLAN_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'seatplan');

/** Where it keeps the manifests that belong to them: `argocd`, `flux`. */
export const SHARE = join(CACHE, 'share');

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The program's path: on the PATH, else as built by `e2e/tools.sh`. */
export const program = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), join(CACHE, 'bin'), '/usr/sbin', '/sbin']
    .map((folder) => join(folder, name))
    .find(isExecutable);

/** The programs of this name on the PATH and among the built ones, each once. */
export const programs = (name: string): string[] =>
  [...new Set([program(name), join(CACHE, 'bin', name)])].filter((file) => file !== undefined).filter(isExecutable);

const inPath = (name: string): boolean => program(name) !== undefined;
const dockerAnswers = (): boolean => run(['docker', 'info']).status === 0;
const canStartDocker = (): boolean => process.getuid?.() === 0 && program('dockerd') !== undefined;

/** What e2e/cluster/up starts: programs of the system, and the last ones that e2e/tools.sh builds. */
const CLUSTER_PROGRAMS = [
  ...['go', 'conntrack', 'etcd', 'ip', 'ipset', 'iptables', 'openssl', 'runc'],
  ...['kubelet', 'kube-router', 'runsc', 'containerd', 'coredns', 'kubectl'],
];
const canStartCluster = (): boolean =>
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  isExecutable('/usr/lib/cni/bridge') &&
  CLUSTER_PROGRAMS.every(inPath);

const TOOLS = {
  cluster: {
    present: () => Boolean(process.env.E2E_KUBECONFIG) || canStartCluster(),
    how: 'E2E_KUBECONFIG, or Linux, root, what e2e/cluster/up names, and e2e/tools.sh cluster',
  },
  docker: {
    // the base image is made of this machine's Node
    present: () =>
      process.platform === 'linux' && program('docker') !== undefined && (dockerAnswers() || canStartDocker()),
    how: 'Linux, and a Docker engine that answers, or root and an installed one (Debian: docker.io)',
  },
  netns: {
    present: () =>
      process.platform === 'linux' &&
      process.getuid?.() === 0 &&
      ['ip', 'iptables', 'ip6tables', 'unshare'].every(inPath),
    how: 'Linux, root, ip, iptables, ip6tables and unshare (Debian: iproute2, iptables, util-linux)',
  },
  kpt: { present: () => inPath('kpt'), how: 'kpt on the PATH, or e2e/tools.sh kpt' },
  kustomize: { present: () => inPath('kustomize'), how: 'e2e/tools.sh kustomize' },
  argocd: { present: () => ['argocd', 'argocd-cmp-server'].every(inPath), how: 'e2e/tools.sh argocd' },
  flux: { present: () => ['kustomize-controller', 'flux-check'].every(inPath), how: 'e2e/tools.sh flux' },
  'agent-sandbox': { present: () => inPath('agent-sandbox-controller'), how: 'e2e/tools.sh agent-sandbox' },
  redis: { present: () => inPath('redis-server'), how: 'redis-server on the PATH (Debian: redis-server)' },
  kubectl: { present: () => inPath('kubectl'), how: 'e2e/tools.sh kubernetes' },
  jq: { present: () => inPath('jq'), how: 'jq on the PATH (Debian: jq)' },
  'kube-apiserver': { present: () => inPath('kube-apiserver'), how: 'e2e/tools.sh kubernetes' },
  etcd: { present: () => inPath('etcd'), how: 'etcd on the PATH (Debian: etcd-server)' },
} as const satisfies Record<string, { present: () => boolean; how: string }>;
export type Tool = keyof typeof TOOLS;

/** Those of the tools that this machine lacks, each as a sentence that says where to get it. */
export const missing = (tools: readonly Tool[]): string[] =>
  tools.filter((tool) => !TOOLS[tool].present()).map((tool) => `needs ${tool}: ${TOOLS[tool].how}`);

export interface Suite {
  (name: string, test: Callback<object>): void;
  run(): void;
}

/** A uvu suite whose tests need these tools. */
export function suiteWith(title: string, ...tools: readonly Tool[]): Suite {
  const all = suite(title);
  const lacks = missing(tools);
  if (lacks.length === 0) return all;
  for (const sentence of lacks) {
    process.stdout.write(`SKIP ${title}: ${sentence}\n`);
    if (process.env.CI) {
      all(sentence, () => {
        throw new Error(`${sentence}; with CI set nothing may be skipped`);
      });
    }
  }
  return Object.assign((name: string) => all.skip(name), { run: () => all.run() });
}
