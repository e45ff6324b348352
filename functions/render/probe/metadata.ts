// Metadata of the probe's objects. They belong to the probe of a namespace, which a package's Seats ask for together.
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { CONFIG_API } from '../../kinds';
import type { Plan } from '../../model';
import { COMPONENT_LABEL, PROBED_NAMESPACE } from '../../probe/identity';
import { ownedMetadata, type RenderedName } from '../metadata';

export const probeMetadata = (
  { namespace }: Pick<Plan, 'namespace'>,
  object: RenderedName,
  component = 'seatplan-probe',
): V1ObjectMeta =>
  ownedMetadata({ apiVersion: CONFIG_API, kind: 'ExpandSeats', namespace, name: 'probe' }, object, {
    [COMPONENT_LABEL]: component,
    [PROBED_NAMESPACE]: namespace,
  });
