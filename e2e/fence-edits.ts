// Edits of a probe's pod that make it something else.
import type { V1Container, V1EnvVar, V1Pod, V1PodSpec, V1Volume } from '@kubernetes/client-node';

export type Edit = (pod: {
  readonly metadata: NonNullable<V1Pod['metadata']>;
  readonly spec: V1PodSpec;
  readonly container: V1Container;
}) => unknown;

export const volume =
  (one: object): Edit =>
  ({ spec }) =>
    spec.volumes!.push({ name: 'more', ...one } as V1Volume);
export const context =
  (key: string, value: unknown): Edit =>
  ({ container }) =>
    Object.assign(container.securityContext!, { [key]: value });
export const podContext =
  (key: string, value: unknown): Edit =>
  ({ spec }) =>
    Object.assign(spec.securityContext!, { [key]: value });
export const annotation =
  (key: string, value = 'x'): Edit =>
  ({ metadata }) =>
    Object.assign(metadata.annotations!, { [key]: value });
export const variable =
  (one: V1EnvVar | object): Edit =>
  ({ container }) =>
    container.env!.push(one as V1EnvVar);
export const mounted =
  (mountPath: string, name: string, subPath?: string): Edit =>
  ({ container }) =>
    container.volumeMounts!.push({ name, mountPath, ...(subPath === undefined ? {} : { subPath }) });

/** Without volumes: the manifest of another seat would be refused already. */
export const ofAccount =
  (name: string | undefined): Edit =>
  ({ spec, container }) => {
    delete spec.serviceAccountName;
    if (name !== undefined) spec.serviceAccountName = name;
    delete spec.volumes;
    delete container.volumeMounts;
  };

export const secretKey = { valueFrom: { secretKeyRef: { name: 's', key: 'k' } } };

/** By what a pod is: the edit, and why the fence refuses it. */
export type Attacks = Readonly<Record<string, readonly [Edit, RegExp]>>;
