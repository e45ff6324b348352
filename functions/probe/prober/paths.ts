// Paths of the API that the prober uses.
import { SANDBOX_API, SANDBOX_EXTENSIONS_API, SEAT_API } from '../../kinds';

const core = (namespace: string, plural: string, name?: string): string =>
  `/api/v1/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
const grouped = (group: string, namespace: string, plural: string, name?: string): string =>
  `/apis/${group}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;

export const pods = (namespace: string, name?: string): string => core(namespace, 'pods', name);
export const events = (namespace: string): string => core(namespace, 'events');
export const configMap = (namespace: string, name: string): string => core(namespace, 'configmaps', name);
export const claims = (namespace: string): string => core(namespace, 'persistentvolumeclaims');
export const policies = (namespace: string): string => grouped('networking.k8s.io/v1', namespace, 'networkpolicies');
export const statefulSets = (namespace: string): string => grouped('apps/v1', namespace, 'statefulsets');
export const sandboxes = (namespace: string): string => grouped(SANDBOX_API, namespace, 'sandboxes');
export const sandboxClaims = (namespace: string): string => grouped(SANDBOX_EXTENSIONS_API, namespace, 'sandboxclaims');
export const seats = (namespace: string, name?: string): string => grouped(SEAT_API, namespace, 'seats', name);
export const taskRuns = (namespace: string, name?: string): string => grouped(SEAT_API, namespace, 'taskruns', name);
export const node = (name: string): string => `/api/v1/nodes/${name}`;
export const nodes = '/api/v1/nodes';
export const volume = (name: string): string => `/api/v1/persistentvolumes/${name}`;
export const runtimeClass = (name: string): string => `/apis/node.k8s.io/v1/runtimeclasses/${name}`;
export const apiEndpoints = grouped('discovery.k8s.io/v1', 'default', 'endpointslices', 'kubernetes');
export const accessReviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
