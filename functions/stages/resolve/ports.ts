// Ports and protocols of a policy: what is legal, and which sets overlap or lie within one another.

export const PROTOCOLS = ['TCP', 'UDP', 'SCTP'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface PortRange {
  readonly protocol: Protocol;
  readonly first: number;
  readonly last: number;
}

export const isPort = (port: unknown): port is number =>
  typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65535;

/** The ranges that a rule opens: no port means all of them. */
export function rangesOf(protocol: Protocol, ports: readonly number[], endPort?: number): PortRange[] {
  if (ports.length === 0) return [{ protocol, first: 1, last: 65535 }];
  return ports.map((port) => ({ protocol, first: port, last: endPort ?? port }));
}

export const overlap = (a: readonly PortRange[], b: readonly PortRange[]): boolean =>
  a.some((x) => b.some((y) => x.protocol === y.protocol && x.first <= y.last && y.first <= x.last));

export const within = (inner: PortRange, outer: readonly PortRange[]): boolean =>
  outer.some(({ protocol, first, last }) => protocol === inner.protocol && first <= inner.first && inner.last <= last);

/** Shorter lists first only where the longer one begins with them. */
export function comparePorts(a: readonly number[], b: readonly number[]): number {
  const different = a.findIndex((port, index) => port !== b[index]);
  if (different < 0) return a.length - b.length;
  return a[different]! - (b[different] ?? 0);
}
