// Finds the addresses that targets are made of: the platform's, the API server's, the node's, other seats'.

import { lookup } from 'node:dns/promises';
import type { V1EndpointSlice, V1Node, V1Pod } from '@kubernetes/client-node';
import type { ClusterFacts, Endpoint, Plan } from '../../model';
import { profileOf } from '../plan';
import { familyOf, type Surroundings } from '../targets';
import { podNameOf } from '../workload';
import type { Api } from './api';
import type { Group } from './groups';
import * as paths from './paths';
import { addressesOf } from './pods';

const LOOKUPS = 3;

/** What is the same for all groups of a run. */
export type Common = Pick<Surroundings, 'platform' | 'denied' | 'api'> & { readonly nodes: readonly V1Node[] };

export async function look(api: Api, plan: Plan): Promise<Common> {
  const [platform, denied, endpoints, nodes] = await Promise.all([
    resolve(plan.platform.host),
    plan.denied ? resolve(plan.denied.host) : [],
    optional(() => api.call<V1EndpointSlice>('GET', paths.apiEndpoints)),
    // two other nodes are tried: a large cluster has thousands
    optional(() => api.call<{ items: V1Node[] }>('GET', paths.nodes, { query: { limit: '10' } })),
  ]);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const { hostname, port: serverPort } = api.server;
  return {
    platform,
    denied,
    nodes: nodes?.items ?? [],
    api: {
      // outside of a cluster (a run by hand) the server's own address stands in for the Service's
      service: host ? { host, port: Number(port ?? 443) } : { host: hostname, port: Number(serverPort || 443) },
      endpoints: endpointsOf(endpoints),
    },
  };
}

const endpointsOf = (slice: V1EndpointSlice | undefined): Endpoint[] =>
  (slice?.endpoints ?? []).flatMap(({ addresses }) =>
    addresses.flatMap((host) =>
      (slice?.ports ?? []).flatMap(({ port }) => (port === undefined ? [] : [{ host, port }])),
    ),
  );

async function optional<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined; // fewer targets, which the checks tell
  }
}

/** A name without an address gives none: what then cannot be tried is told by the checks. */
async function resolve(host: string): Promise<string[]> {
  if (familyOf(host)) return [host];
  for (let tries = 1; ; tries += 1) {
    try {
      return (await lookup(host, { all: true })).map(({ address }) => address);
    } catch (error) {
      // a resolver that does not answer now; one that knows no such name says ENOTFOUND
      if ((error as { code?: string }).code !== 'EAI_AGAIN' || tries >= LOOKUPS) return [];
    }
  }
}

/** For one group; the witness shows which families pods have. */
export function around(
  plan: Plan,
  facts: ClusterFacts,
  { nodes, ...common }: Common,
  { node, seat }: Group,
  witness: V1Pod,
): Surroundings {
  const live = facts.pods.value?.find(({ metadata }) => metadata?.name === podNameOf(seat));
  const addresses = addressesOf(witness);
  return {
    ...common,
    witness: { addresses },
    hostIPs: live?.status?.hostIPs?.map(({ ip }) => ip) ?? [],
    otherNodes: nodes.filter(({ metadata }) => metadata?.name !== node).flatMap(internalAddresses),
    seats: liveSeats(plan, facts),
    families: [...new Set(addresses.map(familyOf))].filter((family) => family !== undefined),
  };
}

const internalAddresses = ({ status }: V1Node): string[] =>
  status?.addresses?.filter(({ type }) => type === 'InternalIP').map(({ address }) => address) ?? [];

/** The live pod of the seat that S stands for is among them: to S it is another seat. */
function liveSeats(plan: Plan, facts: ClusterFacts): Surroundings['seats'] {
  const pods = new Map(facts.pods.value?.map((pod) => [pod.metadata?.name, pod]));
  return plan.seats.flatMap((seat) => {
    const pod = pods.get(podNameOf(seat));
    if (!pod || pod.metadata?.deletionTimestamp) return [];
    const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
    const { healthPort: port, template } = profileOf(plan, seat);
    // without a probe the kubelet finds every pod ready, and its word says nothing of the port
    const asked = template.spec?.containers[0]?.readinessProbe !== undefined;
    return addressesOf(pod).map((address) => ({ seat: seat.seat, address, port, ready: ready && asked }));
  });
}
