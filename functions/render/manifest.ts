// What the agent reads about its seat: manifest.json, instructions.md and further files. Mutable, since parts apply live.
import type { V1ConfigMap } from '@kubernetes/client-node';
import type { ResolvedPod, ResolvedSeat } from '../model';
import { manifestName } from '../names';
import { CONFIG_REVISION, metadataOf } from './metadata';

const apiVersion = 'v1';
const kind = 'ConfigMap';

export const renderManifest = (seat: ResolvedSeat): V1ConfigMap => ({
  apiVersion,
  kind,
  metadata: metadataOf(
    seat,
    { apiVersion, kind, name: manifestName(seat.name) },
    { [CONFIG_REVISION]: seat.configRevision },
  ),
  data: dataOf(seat),
});

export const dataOf = ({ files }: Pick<ResolvedPod, 'files'>): Record<string, string> =>
  Object.fromEntries(files.map(({ key, text }) => [key, text]));
