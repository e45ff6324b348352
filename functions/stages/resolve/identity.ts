// Who a seat is: its namespace, its keys, its names, and that no other seat claims the same.
import { type Finding, report } from '../../finding';
import type { Located, Options, ResolvedSeat, Seat } from '../../model';
import { baseName } from '../../names';
import { groupBy } from './grouping';

export type Identity = Pick<
  ResolvedSeat,
  'seat' | 'namespace' | 'name' | 'organization' | 'key' | 'organizationID' | 'seatID'
>;

const LONGEST_NAMESPACE = 63;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The namespace is empty when neither the seat nor the options give one (an error then, see `checkNamespace`). */
export function identify(seat: Located<Seat>, options: Options): Identity {
  const { item } = seat;
  const { spec } = seat.object;
  const { organization } = spec;
  const key = spec.key ?? item.name;
  return {
    seat,
    namespace: item.namespace || options.namespace || '',
    name: baseName(organization, key),
    organization,
    key,
    organizationID: spec.organizationID ?? organization,
    seatID: spec.seatID ?? key,
  };
}

export function checkNamespace({ seat: { item }, namespace }: Identity): Finding[] {
  const path = 'metadata.namespace';
  if (namespace === '')
    return [
      report('NAMESPACE_MISSING', item, path, 'a seat must have a namespace, or the option `namespace` gives one'),
    ];
  if (namespace.length > LONGEST_NAMESPACE)
    return [
      report('NAME_TOO_LONG', item, path, `must have at most ${LONGEST_NAMESPACE} characters`, { value: namespace }),
    ];
  if (DNS_LABEL.test(namespace)) return [];
  return [report('INVALID_VALUE', item, path, 'must be a DNS label: a-z, 0-9 and "-" inside', { value: namespace })];
}

/** What only one seat may have, most telling first: a seat is reported for the first that it shares. */
const UNIQUE: readonly {
  readonly code: 'DUPLICATE_SEAT' | 'NAME_COLLISION';
  readonly path: string;
  readonly what: string;
  readonly of: (identity: Identity) => string;
}[] = [
  {
    code: 'DUPLICATE_SEAT',
    path: 'metadata.name',
    what: 'namespace and name',
    of: ({ seat, namespace }) => `${namespace}/${seat.item.name}`,
  },
  {
    code: 'DUPLICATE_SEAT',
    path: 'spec.key',
    what: 'organization and key',
    of: ({ organization, key }) => `${organization}/${key}`,
  },
  {
    code: 'DUPLICATE_SEAT',
    path: 'spec.seatID',
    what: 'organizationID and seatID',
    of: ({ organizationID, seatID }) => `${organizationID}/${seatID}`,
  },
  { code: 'NAME_COLLISION', path: 'spec.key', what: 'base name', of: ({ name }) => name },
];

/** In the whole package, across namespaces: the platform tells seats apart by organization and key alone. */
export function checkUnique(identities: readonly Identity[]): Finding[] {
  const told = new Set<Identity>();
  return UNIQUE.flatMap(({ code, path, what, of }) =>
    [...groupBy(identities, of)].flatMap(([text, seats]) =>
      seats.length === 1
        ? []
        : seats
            .filter((identity) => !told.has(identity) && told.add(identity))
            .map(({ seat: { item } }) =>
              report(code, item, path, `${seats.length} seats have one ${what}, "${text}"; each must have its own`),
            ),
    ),
  );
}
