// What a seat's pod may ask for: resources, nodes, image and environment.
import type { Harness, SeatSpec } from '../functions/model';
import { HARNESS, HEX, LIMITS, runtimeClass, SEAT, seats, table } from './resolve-table';
import { seatWith } from './seats';

const limited = (
  limits: Record<string, string | number>,
  requests?: Record<string, string | number>,
): Partial<SeatSpec> => ({
  resources: { limits, ...(requests ? { requests } : {}) },
});
const FULL = { cpu: '1', memory: '1Gi' };
const { resources: _resources, ...UNLIMITED } = SEAT;
table('resources', {
  'limits of CPU and memory are mandatory': {
    seat: limited({ cpu: 1 }),
    findings: ['LIMITS_MISSING spec.resources.limits.memory'],
  },
  'a seat and a tier without resources lack both limits': {
    declared: seats(seatWith(UNLIMITED)),
    findings: ['LIMITS_MISSING spec.resources.limits.cpu', 'LIMITS_MISSING spec.resources.limits.memory'],
  },
  'limits of zero or less do not count': {
    seat: limited({ cpu: '0', memory: '0Gi' }),
    findings: ['LIMITS_MISSING spec.resources.limits.cpu', 'LIMITS_MISSING spec.resources.limits.memory'],
  },
  'a negative limit is no limit': {
    seat: limited({ cpu: '-1', memory: '1Gi' }),
    findings: ['INVALID_QUANTITY spec.resources.limits.cpu', 'LIMITS_MISSING spec.resources.limits.cpu'],
  },
  'the tier’s defaults serve a seat without resources': {
    tier: { defaultResources: LIMITS },
    declared: seats(seatWith(UNLIMITED)),
    findings: [],
  },
  'an empty block sets nothing, as in Kubernetes': {
    tier: { defaultResources: LIMITS },
    seat: { resources: {} },
    findings: [],
  },
  'a seat’s block replaces the tier’s as a whole': {
    tier: { defaultResources: LIMITS },
    seat: limited({ cpu: '1' }),
    findings: ['LIMITS_MISSING spec.resources.limits.memory'],
  },
  'requests are compared to limits by value': {
    seat: limited(FULL, { cpu: '1000m', memory: '1025Mi' }),
    findings: ['REQUESTS_EXCEED_LIMITS spec.resources.requests.memory'],
  },
  'a fault in the tier’s defaults is told once, at the tier': {
    tier: { defaultResources: { limits: FULL, requests: { cpu: '2' } } },
    declared: seats(seatWith(UNLIMITED, 'a'), seatWith(UNLIMITED, 'b')),
    findings: ['REQUESTS_EXCEED_LIMITS spec.defaultResources.requests.cpu'],
  },
  'thousandths of a byte are a slip of the pen': {
    seat: limited({ cpu: '1', memory: '512m' }),
    findings: ['INVALID_QUANTITY spec.resources.limits.memory'],
  },
  'a device must be whole': {
    seat: limited({ ...FULL, 'nvidia.com/gpu': '500m' }),
    findings: ['INVALID_QUANTITY spec.resources.limits["nvidia.com/gpu"]'],
  },
  'a device cannot be overcommitted': {
    seat: limited({ ...FULL, 'nvidia.com/gpu': 2 }, { 'nvidia.com/gpu': 1 }),
    findings: ['INVALID_QUANTITY spec.resources.requests["nvidia.com/gpu"]'],
  },
  'a device needs a limit': {
    seat: limited(FULL, { 'nvidia.com/gpu': 1 }),
    findings: ['INVALID_QUANTITY spec.resources.requests["nvidia.com/gpu"]'],
  },
  'a device with equal request and limit is fine': {
    seat: limited({ ...FULL, 'nvidia.com/gpu': 1 }, { 'nvidia.com/gpu': '1' }),
    findings: [],
  },
  'a resource that Kubernetes does not know must have a domain': {
    seat: limited({ ...FULL, gpu: 1 }),
    findings: ['INVALID_QUANTITY spec.resources.limits.gpu'],
  },
  'a text that the pattern lets through may still be no quantity': {
    seat: limited({ cpu: '1e1.5', memory: '1Gi' }),
    findings: ['INVALID_QUANTITY spec.resources.limits.cpu', 'LIMITS_MISSING spec.resources.limits.cpu'],
  },
  'a claim of the tier’s defaults must be defined by the seat': {
    tier: { defaultResources: { ...LIMITS, claims: [{ name: 'gpu' }] } },
    declared: seats(seatWith(UNLIMITED)),
    findings: ['RESOURCE_CLAIM_UNDEFINED spec.resourceClaims'],
  },
  'a claim that the seat defines is there': {
    tier: { defaultResources: { ...LIMITS, claims: [{ name: 'gpu' }] } },
    declared: seats(seatWith({ ...UNLIMITED, resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] })),
    findings: [],
  },
});

const scheduled = (scheduling: SeatSpec['scheduling']): Partial<SeatSpec> => (scheduling ? { scheduling } : {});
table('placement', {
  'a seat cannot contradict its tier’s nodes': {
    tier: { allowedNodeLabels: { 'topology.kubernetes.io/region': 'eu' } },
    seat: scheduled({ nodeLabels: { 'topology.kubernetes.io/region': 'us' } }),
    findings: ['NODE_LABEL_CONFLICT spec.scheduling.nodeLabels["topology.kubernetes.io/region"]'],
  },
  'a tier cannot contradict its runtime class’s nodes': {
    tier: { allowedNodeLabels: { pool: 'a' } },
    related: [runtimeClass('runsc', 'gvisor', undefined, { pool: 'b' })],
    findings: ['NODE_LABEL_CONFLICT spec.allowedNodeLabels.pool'],
  },
  'a seat cannot contradict its runtime class’s nodes': {
    related: [runtimeClass('runsc', 'gvisor', undefined, { pool: 'b' })],
    seat: scheduled({ nodeLabels: { pool: 'a' } }),
    findings: ['NODE_LABEL_CONFLICT spec.scheduling.nodeLabels.pool'],
  },
  'labels that agree are fine': {
    tier: { allowedNodeLabels: { pool: 'a' } },
    related: [runtimeClass('runsc', 'gvisor', undefined, { pool: 'a' })],
    seat: scheduled({ nodeLabels: { pool: 'a', disk: 'ssd' } }),
    findings: [],
  },
  'a label key that no node can have is refused': {
    seat: scheduled({ nodeLabels: { 'a/b/c': 'x' } }),
    findings: ['INVALID_LABEL_VALUE spec.scheduling.nodeLabels["a/b/c"]'],
  },
  'tolerating every taint needs a tier that names nodes': {
    seat: scheduled({
      tolerations: [
        { key: 'a', operator: 'Exists' },
        { operator: 'Exists', effect: 'NoSchedule' },
      ],
    }),
    findings: ['TOLERATION_TOO_WIDE spec.scheduling.tolerations[1]'],
  },
  'a tier that names nodes bears a wide toleration': {
    tier: { allowedNodeLabels: { pool: 'a' } },
    seat: scheduled({ tolerations: [{ operator: 'Exists' }] }),
    findings: [],
  },
  'system priorities are the cluster’s': {
    seat: scheduled({ priorityClassName: 'system-node-critical' }),
    findings: ['PRIORITY_RESERVED spec.scheduling.priorityClassName'],
  },
});

const image = (name: string | undefined): Partial<SeatSpec> => ({
  harness: { adapter: 'claude', ...(name === undefined ? {} : { image: name }) },
});
const env = (...entries: NonNullable<Harness['env']>[number][]): Partial<SeatSpec> => ({
  harness: { ...HARNESS, env: entries },
});
const secret = env({ name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } });
table('containers', {
  'a seat must name its image': { seat: image(undefined), findings: ['MISSING_FIELD spec.harness.image'] },
  'a tag alone is not pinned': {
    seat: image('registry.example/agent:v1'),
    findings: ['IMAGE_NOT_PINNED spec.harness.image'],
  },
  'a tag is enough where the options say so': {
    seat: image('registry.example/agent:v1'),
    options: { allowImageTags: true },
    findings: [],
  },
  'neither tag nor digest is never enough': {
    seat: image('registry.example/agent'),
    options: { allowImageTags: true },
    findings: ['IMAGE_NOT_PINNED spec.harness.image'],
  },
  'tag and digest together are fine': { seat: image(`r.example:5000/a/b:v1@sha256:${HEX}`), findings: [] },
  'a short digest is no reference': {
    seat: image('agent@sha256:abc'),
    findings: ['IMAGE_INVALID spec.harness.image'],
  },
  'a Secret does not come into the pod': {
    seat: secret,
    findings: ['SECRET_ENV_NOT_ALLOWED spec.harness.env[0].valueFrom.secretKeyRef'],
  },
  'a Secret comes in where the options say so': { seat: secret, options: { allowSecretEnv: true }, findings: [] },
});
