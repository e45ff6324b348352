// Metadata of the probe's objects. They belong to the probe of a namespace, which a package's Seats ask for together.
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { CONFIG_API } from '../../kinds';
import type { Plan } from '../../model';
import { OWNER_ANNOTATION, ownerOf } from '../../owner';
import { COMPONENT_LABEL, PROBED_NAMESPACE } from '../../probe/identity';
import { UNSUBSTITUTED } from '../metadata';

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** undefined: cluster-scoped. */
  readonly namespace: string | undefined;
}

export const probeMetadata = (plan: Plan, object: Identity, component = 'seatplan-probe'): V1ObjectMeta => ({
  name: object.name,
  ...(object.namespace === undefined ? {} : { namespace: object.namespace }),
  labels: { [COMPONENT_LABEL]: component, [PROBED_NAMESPACE]: plan.namespace },
  annotations: {
    ...UNSUBSTITUTED,
    [OWNER_ANNOTATION]: ownerOf(
      { apiVersion: CONFIG_API, kind: 'ExpandSeats', namespace: plan.namespace, name: 'probe' },
      object,
    ),
  },
});
