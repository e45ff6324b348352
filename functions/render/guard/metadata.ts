// Metadata of the guards of a namespace, which a package's Seats ask for together.
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { CONFIG_API } from '../../kinds';
import { OWNER_ANNOTATION, ownerOf } from '../../owner';
import { COMPONENT_LABEL } from '../../probe/identity';
import { UNSUBSTITUTED } from '../metadata';

interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** undefined: cluster-scoped. */
  readonly namespace?: string;
}

export const guardMetadata = (namespace: string, object: Identity, annotations = {}): V1ObjectMeta => ({
  name: object.name,
  ...(object.namespace === undefined ? {} : { namespace: object.namespace }),
  labels: { [COMPONENT_LABEL]: 'seatplan-guard' },
  annotations: {
    ...annotations,
    ...UNSUBSTITUTED,
    [OWNER_ANNOTATION]: ownerOf({ apiVersion: CONFIG_API, kind: 'ExpandSeats', namespace, name: 'guard' }, object),
  },
});

/** File of a namespace's guards. */
export const guardFile = (namespace: string): string => `guard-${namespace}`;
