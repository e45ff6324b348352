// What someone who can commit a package may ask of a pod, and what the API server would refuse only later.
import type { SeatSpec } from '../functions/model';
import { HARNESS, runtimeClass, table } from './resolve-table';

const limited = (limits: Record<string, string>, requests?: Record<string, string>): Partial<SeatSpec> => ({
  resources: { limits: { cpu: '1', memory: '1Gi', ...limits }, ...(requests ? { requests } : {}) },
});

table('resources that the API server would refuse', {
  'a request above a limit of zero': {
    seat: limited({ 'ephemeral-storage': '0' }, { 'ephemeral-storage': '1Gi' }),
    findings: ['REQUESTS_EXCEED_LIMITS spec.resources.requests.ephemeral-storage'],
  },
  'a request beside a missing limit is told as the missing limit alone': {
    seat: { resources: { limits: { cpu: '0', memory: '1Gi' }, requests: { cpu: '1' } } },
    findings: ['LIMITS_MISSING spec.resources.limits.cpu'],
  },
  'huge pages that are no multiple of their size': {
    seat: limited({ 'hugepages-2Mi': '3Mi' }),
    findings: ['INVALID_QUANTITY spec.resources.limits.hugepages-2Mi'],
  },
  'huge pages of whole pages are fine': { seat: limited({ 'hugepages-2Mi': '4Mi' }), findings: [] },
  'huge pages of no size': {
    seat: limited({ 'hugepages-big': '4Mi' }),
    findings: ['INVALID_QUANTITY spec.resources.limits.hugepages-big'],
  },
  'a device by the name of its quota': {
    seat: limited({ 'requests.nvidia.com/gpu': '1' }),
    findings: ['INVALID_QUANTITY spec.resources.limits["requests.nvidia.com/gpu"]'],
  },
});

table('nodes', {
  'a label named like a member of every object is just a label': {
    tier: { allowedNodeLabels: { zone: 'a' } },
    seat: { scheduling: { nodeLabels: { constructor: 'x' } } },
    findings: [],
  },
  'and so it is in the selector of a RuntimeClass': {
    tier: { allowedNodeLabels: { zone: 'a' } },
    related: [runtimeClass('runsc', 'gvisor', undefined, { constructor: 'x' })],
    findings: [],
  },
});

table('the container', {
  'its own variables in another case are just variables': {
    seat: { harness: { ...HARNESS, env: [{ name: 'home', value: '/' }] } },
    findings: [],
  },
});
