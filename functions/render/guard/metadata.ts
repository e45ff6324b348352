// Metadata of the guards of a namespace, which a package's Seats ask for together.
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { CONFIG_API } from '../../kinds';
import { COMPONENT_LABEL } from '../../probe/identity';
import { ownedMetadata, type RenderedName } from '../metadata';

export const guardMetadata = (namespace: string, object: RenderedName, annotations = {}): V1ObjectMeta =>
  ownedMetadata(
    { apiVersion: CONFIG_API, kind: 'ExpandSeats', namespace, name: 'guard' },
    object,
    { [COMPONENT_LABEL]: 'seatplan-guard' },
    annotations,
  );

/** File of a namespace's guards. */
export const guardFile = (namespace: string): string => `guard-${namespace}`;
