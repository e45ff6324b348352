// Files of the tests' packages.
import { stringify } from 'yaml';
import { declare } from '../seat-package';
import type { Stage } from './stage';

const stream = (...objects: readonly unknown[]): string => objects.map((one) => stringify(one)).join('---\n');

/** Seats as Git has them; specs by name. */
export const seats = (
  { images }: Stage,
  namespace: string,
  specs: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): string => stream(...declare({ namespace, images, seats: specs }).filter(({ kind }) => kind === 'Seat'));

/** Options of the package, those of the probe. */
export const options = (probe: Readonly<Record<string, unknown>>): string =>
  stream({
    apiVersion: 'seatplan.dev/v1alpha1',
    kind: 'ExpandSeats',
    metadata: { name: 'options', annotations: { 'config.kubernetes.io/local-config': 'true' } },
    spec: { probe },
  });

/** Lets a seat's account list pods, which no seat may: the probe fails it, whatever the account is used for. */
export function rights(namespace: string, account: string): string {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: 'lists-pods', namespace };
  return stream(
    { apiVersion, kind: 'Role', metadata, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    },
  );
}

/** A package without any Seat. */
export const configMap = (namespace: string): string =>
  stream({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', namespace } });
