// The processes of an API server: etcd and kube-apiserver on free ports of loopback, with certificates of their own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ControlPlane {
  readonly url: string;
  /** Files: the server's certificate, a kubeconfig of a user who may do everything, and what kube-apiserver says. */
  readonly certificate: string;
  readonly kubeconfig: string;
  readonly log: string;
  readonly token: string;
  /** Stops both processes and removes their files. */
  stop(): Promise<void>;
}

/** Starts both, and does not wait until they answer. */
export async function startControlPlane(bin: string, flags: readonly string[]): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-apiserver-'));
  const [clientPort, peerPort, port] = await freePorts(3);
  const processes: ChildProcess[] = [];
  const start = (program: string, args: readonly string[]) => {
    const log = openSync(join(folder, `${program.split('/').pop()}.log`), 'w');
    processes.push(spawn(program, args, { stdio: ['ignore', log, log] }));
  };
  const stop = async () => {
    process.off('exit', kill);
    await Promise.all(processes.reverse().map(end));
    rmSync(folder, { recursive: true, force: true });
  };
  const kill = () => {
    for (const child of processes) child.kill('SIGKILL');
  };
  process.once('exit', kill); // never leave them behind when a test crashes

  const token = 'test';
  writeCertificates(folder);
  writeFileSync(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`);
  const etcd = `http://127.0.0.1:${clientPort}`;
  start('etcd', [
    `--data-dir=${folder}/etcd`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  ]);
  start(join(bin, 'kube-apiserver'), [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${port}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    '--allow-privileged=true', // so that Pod Security decides
    '--disable-admission-plugins=ServiceAccount',
    '--enable-priority-and-fairness=false', // else a burst of trials waits for its turn
    '--max-requests-inflight=0',
    '--max-mutating-requests-inflight=0',
    `--token-auth-file=${folder}/tokens.csv`,
    `--tls-cert-file=${folder}/server.crt`,
    `--tls-private-key-file=${folder}/server.key`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${folder}/server.key`,
    `--service-account-signing-key-file=${folder}/server.key`,
    ...flags,
  ]);

  const url = `https://127.0.0.1:${port}`;
  const [certificate, kubeconfig] = [join(folder, 'server.crt'), join(folder, 'kubeconfig')];
  writeKubeconfig(kubeconfig, url, certificate, token);
  return { url, certificate, kubeconfig, log: join(folder, 'kube-apiserver.log'), token, stop };
}

function writeCertificates(folder: string): void {
  const file = (name: string) => join(folder, name);
  execFileSync(
    'openssl',
    // RSA, since the same key signs service account tokens.
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=127.0.0.1',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      file('server.key'),
      '-out',
      file('server.crt'),
    ],
    { stdio: 'ignore' },
  );
}

function writeKubeconfig(file: string, server: string, ca: string, token: string): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [
      { name: 'test', cluster: { server, 'certificate-authority-data': readFileSync(ca).toString('base64') } },
    ],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(impatience);
}
