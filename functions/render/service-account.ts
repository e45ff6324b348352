// The identity of a seat. Its API token is never mounted.
import type { V1ServiceAccount } from '@kubernetes/client-node';
import type { ResolvedSeat } from '../model';
import { identityOf, metadataOf } from './metadata';

const apiVersion = 'v1';
const kind = 'ServiceAccount';

export const renderServiceAccount = (seat: ResolvedSeat): V1ServiceAccount => ({
  apiVersion,
  kind,
  metadata: metadataOf(seat, { apiVersion, kind, name: seat.name }, identityOf(seat)),
  automountServiceAccountToken: false,
});
