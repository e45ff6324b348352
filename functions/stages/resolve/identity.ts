// Who a seat is: its namespace, its keys, its names, and that no other seat claims the same.
import { type Finding, report } from '../../finding';
import type { Located, Options, ResolvedSeat, Seat } from '../../model';
import { baseName } from '../../names';
import { groupBy } from './grouping';

export type Identity = Pick<
  ResolvedSeat,
  'seat' | 'namespace' | 'name' | 'organization' | 'key' | 'organizationID' | 'seatID'
>;

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

/** What a namespace may be called, the CRD and the options' own checks have said by now. */
export const checkNamespace = ({ seat: { item }, namespace }: Identity): Finding[] =>
  namespace === ''
    ? [
        report(
          'NAMESPACE_MISSING',
          item,
          'metadata.namespace',
          'a seat must have a namespace, or the option `namespace` gives one',
        ),
      ]
    : [];

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
