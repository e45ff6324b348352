// That a task run asks for no more than its seat has: hosts, networks, browser, binaries, provider tools.
import type { Finding } from '../../finding';
import type { Located, ResolvedSeat, Seat } from '../../model';
import { containsCut, formatCidr } from './cidr';
import { type HostAccess, parseHost, resolveHosts, wishedPorts } from './hosts';
import { type DirectEntry, directEntries } from './network';
import { rangesOf, within } from './ports';
import { exceeds } from './task-excess';
import { exceedingRepositories } from './task-repositories';

/**
 * One finding for each entry of `run` that is not proven to lie within what its seat has. `run` is the seat with the run's
 * access in place of its own, located at the TaskRun. Entries that cannot be read are told elsewhere, and not here.
 */
export const exceedingAccess = (run: Located<Seat>, parent: ResolvedSeat): Finding[] => [
  ...exceedingHosts(run, parent),
  ...exceedingNetwork(run, parent),
  ...exceedingBrowser(run, parent),
  ...exceedingBinaries(run, parent),
  ...exceedingRepositories(run, parent),
  ...exceedingTools(run, parent),
];

function exceedingHosts(run: Located<Seat>, parent: ResolvedSeat): Finding[] {
  const own = resolveHosts(parent.seat).value;
  const has = own.map(({ host, ports }) => `"${host}" (${ports.join(', ')})`);
  return (run.object.spec.access?.egress ?? []).flatMap((wish, index) => {
    const parsed = parseHost(wish.host);
    if ('problem' in parsed) return [];
    const covering = own.filter((access) => covers(access, parsed.host));
    const missing = wishedPorts(wish).filter((port) => !covering.some(({ ports }) => ports.includes(port)));
    if (missing.length === 0) return [];
    const what = `host "${parsed.host}" is asked for on port ${missing.join(', ')}`;
    return [exceeds(run, parent, `spec.access.egress[${index}]`, what, has)];
  });
}

/** `*.suffix` stands for every name below the suffix, of whatever depth, and for wildcards below it; not for itself. */
const covers = ({ host }: HostAccess, wanted: string): boolean =>
  host === wanted || (host.startsWith('*.') && wanted.replace(/^\*\./, '').endsWith(host.slice(1)));

function exceedingNetwork(run: Located<Seat>, parent: ResolvedSeat): Finding[] {
  const own = directEntries(parent.seat).value;
  return directEntries(run).value.flatMap((entry) =>
    isWithin(entry, own) ? [] : [exceeds(run, parent, entry.path, `${inWords(entry)} is asked for`, own.map(inWords))],
  );
}

/** Each range of ports in one entry of the seat; several that cover it together are not looked for. */
const isWithin = (entry: DirectEntry, own: readonly DirectEntry[]): boolean => {
  const containing = own.filter((block) => containsCut(block, entry)).flatMap(portsOf);
  return portsOf(entry).every((range) => within(range, containing));
};

const portsOf = ({ protocol, ports, endPort }: DirectEntry) => rangesOf(protocol, ports, endPort);

function inWords({ cidr, except, protocol, ports, endPort }: DirectEntry): string {
  const holes = except.length ? ` except ${except.map(formatCidr).join(' ')}` : '';
  const range = endPort === undefined ? ports.join(' ') : `${ports.join(' ')}-${endPort}`;
  return `${formatCidr(cidr)}${holes} (${protocol}${range ? ` ${range}` : ''})`;
}

function exceedingBrowser(run: Located<Seat>, parent: ResolvedSeat): Finding[] {
  const wanted = run.object.spec.access?.browser;
  const own = parent.seat.object.spec.access?.browser;
  if (!wanted) return [];
  if (!own) return [exceeds(run, parent, 'spec.access.browser', 'a browser is asked for', [])];
  const { sessionConnection } = wanted;
  if (sessionConnection === undefined || sessionConnection === own.sessionConnection) return [];
  const has = own.sessionConnection === undefined ? [] : [`"${own.sessionConnection}"`];
  const what = `the session of "${sessionConnection}" is asked for`;
  return [exceeds(run, parent, 'spec.access.browser.sessionConnection', what, has)];
}

function exceedingBinaries(run: Located<Seat>, parent: ResolvedSeat): Finding[] {
  const own = parent.seat.object.spec.access?.binaries ?? [];
  return (run.object.spec.access?.binaries ?? []).flatMap((name, index) =>
    own.includes(name)
      ? []
      : [exceeds(run, parent, `spec.access.binaries[${index}]`, `"${name}" is asked for`, own.map(quoted))],
  );
}

/** Of the provider's tools the seat has those that its tier allows too. */
function exceedingTools(run: Located<Seat>, parent: ResolvedSeat): Finding[] {
  const own = parent.providerTools ?? [];
  return (run.object.spec.harness.model?.providerTools ?? []).flatMap((tool, index) => {
    if (own.includes(tool)) return [];
    const path = `spec.harness.model.providerTools[${index}]`;
    return [exceeds(run, parent, path, `"${tool}" is asked for`, own.map(quoted))];
  });
}

const quoted = (text: string): string => `"${text}"`;
