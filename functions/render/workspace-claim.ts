// The seat's workspace. It outlives everything: no owner reference, and pruned by no engine unless the seat says so.
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import type { ResolvedSeat } from '../model';
import { identityOf, metadataOf, RETAINED, UNWATCHED } from './metadata';

const apiVersion = 'v1';
const kind = 'PersistentVolumeClaim';

/** undefined: the seat adopts a claim that somebody else keeps. An empty storage class is given, an absent one is not. */
export const renderWorkspaceClaim = (seat: ResolvedSeat): V1PersistentVolumeClaim | undefined =>
  seat.claim.adopted
    ? undefined
    : {
        apiVersion,
        kind,
        metadata: metadataOf(
          seat,
          { apiVersion, kind, name: seat.claim.name },
          {
            ...identityOf(seat),
            ...(seat.claim.retain ? RETAINED : {}),
            ...(seat.replicas === 0 ? UNWATCHED : {}),
          },
        ),
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: seat.claim.size } },
          ...(seat.claim.storageClassName === undefined ? {} : { storageClassName: seat.claim.storageClassName }),
        },
      };
