// The objects that engines are asked about: just applied, as an API server without controllers shows them; as a cluster's
// controllers left them; with statuses of a probe; and those of testdata of the health checks for Argo CD.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { fixtures } from '../../test/fixtures';
import type { Answer, ApiServer } from '../apiserver';
import { type Manifest, readStream } from '../objects';
import { COMPONENT } from './argocd';
import { RECORDED, type Shown } from './recorded';
import { SEATS } from './seats';

/** All of them, by kind and state. */
export async function allShown(server: ApiServer): Promise<Record<string, Shown>> {
  for (const name of ['team-a', 'steadmesh-system']) {
    await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  return {
    ...(await justApplied(server)),
    ...RECORDED,
    ...rolling(),
    ...(await seats(server)),
    ...testdata('maqpna.com/TrustTier'),
    ...testdata('agents.x-k8s.io/Sandbox'),
    ...testdata('extensions.agents.x-k8s.io/SandboxClaim'),
    ...testdata('extensions.agents.x-k8s.io/SandboxWarmPool'),
  };
}

/** One object of each kind that any fixture is rendered to, the StatefulSet of a stopped seat, and a worker in each state. */
async function justApplied(server: ApiServer): Promise<Record<string, Shown>> {
  const rendered = fixtures().flatMap(({ folder }) =>
    readdirSync(join(folder, '.expected'))
      .filter((name) => name === 'objects.yaml' || name === 'probe.yaml')
      .flatMap((name) => readStream(readFileSync(join(folder, '.expected', name), 'utf8'))),
  );
  const stopped = rendered.find(
    ({ kind, spec }) => kind === 'StatefulSet' && (spec as { replicas: number }).replicas === 0,
  );
  const first = new Map(rendered.toReversed().map((object) => [`${object.kind} just applied`, object]));
  const gvisor = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'gvisor' }, handler: 'runsc' };
  await server.create(gvisor);
  const shown: Record<string, Shown> = {};
  for (const [name, object] of [...first, ['StatefulSet just applied, stopped', stopped!] as const]) {
    const { namespace } = object.metadata;
    if (namespace) await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    // as it would be stored; namespaces are there already, so that one goes by another name
    const fresh = object.kind === 'Namespace' ? { ...object, metadata: { ...object.metadata, name: 'fresh' } } : object;
    shown[name] = { object: accepted(fresh, await server.dryRun(fresh)) };
  }
  return { ...shown, ...workers(shown['Pod just applied']!) };
}

/** As the kubelet leaves a pod that is never restarted. */
function workers({ object }: Shown): Record<string, Shown> {
  const as = (phase: string, more: object = {}): Shown => ({
    object: { ...object, status: { phase, ...more } } as Manifest,
  });
  const ready = (status: string) => ({ conditions: [{ type: 'Ready', status }] });
  return {
    'Pod running': as('Running', ready('True')),
    'Pod succeeded': as('Succeeded', ready('False')),
    'Pod failed': as('Failed', { reason: 'DeadlineExceeded', ...ready('False') }),
  };
}

function accepted({ kind, metadata }: Manifest, { code, body }: Answer): Manifest {
  assert.is(code, 201, `${kind} ${metadata.name}: ${body.message}`);
  return body as unknown as Manifest;
}

const COLLECTION = '/apis/steadmesh.io/v1alpha1/namespaces/team-a/seats';

/** Their statuses written as a prober writes them: to the subresource, which leaves a trace in managedFields. */
async function seats(server: ApiServer): Promise<Record<string, Shown>> {
  const shown: Record<string, Shown> = {};
  for (const [name, { status, ...seat }] of Object.entries(SEATS)) {
    accepted(seat, await server.create(seat));
    const path = `${COLLECTION}/${seat.metadata.name}`;
    const patch = (subresource: string, change: object) =>
      server.call('PATCH', `${path}${subresource}`, JSON.stringify(change), 'application/merge-patch+json');
    if (status) await patch('/status', { status });
    if (seat.metadata.generation > 1) await patch('', { spec: { state: 'Stopped' } });
    const { body } = await server.call('GET', path);
    const { metadata } = body as { metadata?: { generation?: number } };
    assert.is(metadata?.generation, seat.metadata.generation);
    assert.equal(body.status, status);
    shown[`Seat ${name}`] = { object: body as unknown as Manifest };
    await server.call('DELETE', path);
  }
  return shown;
}

/** With an old pod that is ready: as OnDelete leaves it, and as RollingUpdate does for a moment, or with a partition for long. */
function rolling(): Record<string, Shown> {
  const { object, ...pods } = RECORDED['StatefulSet OnDelete, ready, changed since']!;
  const rolls = (more: object): Shown => {
    const updateStrategy = { type: 'RollingUpdate', ...more };
    return { ...pods, object: { ...object, spec: { ...(object.spec as object), updateStrategy } } };
  };
  return {
    'StatefulSet RollingUpdate, about to roll': rolls({}),
    'StatefulSet RollingUpdate, held by a partition': rolls({ rollingUpdate: { partition: 1 } }),
  };
}

function testdata(folder: string): Record<string, Shown> {
  const files = join(COMPONENT, 'health', folder, 'testdata');
  return Object.fromEntries(
    readdirSync(files).map((file) => [
      `${basename(folder)} ${basename(file, '.yaml')}`,
      { object: parse(readFileSync(join(files, file), 'utf8')) },
    ]),
  );
}
