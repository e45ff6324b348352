// `seatplan explain`: where every decided value of one seat came from, what was dropped, and why.

import { asLine, forTerminal } from '../escape';
import { type Finding, isError } from '../finding';
import type { Decision, Item, Located, Seat } from '../model';
import { nearest } from '../nearest';
import { expand } from '../pipeline';
import { publicPart, toJson } from '../report/json';
import { textOf } from '../report/text';
import { type Levels, load } from './load';
import { audible, type Loudness } from './print';
import { EXIT, type ExitCode, Refusal, type Shell } from './shell';
import { tableOf } from './table';

export interface ExplainOptions extends Levels, Loudness {
  readonly output: 'text' | 'json';
}

/** A Seat of the input, by all that a user may call it. */
interface Candidate {
  readonly item: Item;
  readonly names: readonly string[];
  readonly decisions: Decision[];
}

export function explain(wanted: string, source: string, options: ExplainOptions, shell: Shell): ExitCode {
  const { input, shown } = load(source, options, shell);
  const traced = new Map<Item, Candidate>();
  const { findings: all } = expand({
    ...input,
    trace: (seat) => {
      const candidate: Candidate = { item: seat.item, names: namesOf(seat), decisions: [] };
      traced.set(seat.item, candidate);
      return (decision) => candidate.decisions.push(decision);
    },
  });
  const { item, names, decisions } = choose(wanted, candidates(input.items, traced));
  const findings = all.filter((finding) => concerns(finding, item)).map(shown);
  const heard = audible(findings, options);
  const output = options.output === 'json' ? asJson(names, decisions, heard) : asText(names, decisions, heard, shell);
  shell.output.write(output);
  return findings.some(isError) ? EXIT.findings : EXIT.fine;
}

/** `namespace/name` first, since it says most; then the name alone, and organization and key. */
function namesOf({ object, item }: Located<Seat>): string[] {
  const { organization, key = object.metadata.name } = object.spec;
  return [...namesOfItem(item), `${organization}/${key}`];
}

const namesOfItem = ({ namespace, name }: Item): string[] => (namespace ? [`${namespace}/${name}`, name] : [name]);

/** Seats that were refused before they were resolved have no decisions, but findings that explain them. */
function candidates(items: readonly Item[], traced: ReadonlyMap<Item, Candidate>): Candidate[] {
  const untraced = items.filter((item) => item.kind === 'Seat' && !traced.has(item));
  return [...traced.values(), ...untraced.map((item) => ({ item, names: namesOfItem(item), decisions: [] }))];
}

function choose(wanted: string, seats: readonly Candidate[]): Candidate {
  const [found, ...others] = seats.filter(({ names }) => names.includes(wanted));
  if (found && others.length === 0) return found;
  if (found) {
    const choices = [found, ...others].map(({ names }) => names[0]).join(', ');
    throw new Refusal(`"${wanted}" is the name of more than one Seat; say one of ${choices}`);
  }
  const similar = nearest(
    wanted,
    seats.flatMap(({ names }) => names),
  );
  const hint = similar ? `did you mean "${similar}"?` : knownSeats(seats);
  throw new Refusal(`there is no Seat "${wanted}" (a name, namespace/name or organization/key); ${hint}`);
}

const MOST_NAMED = 10;

function knownSeats(seats: readonly Candidate[]): string {
  if (seats.length === 0) return 'the input holds no Seat';
  const names = seats.slice(0, MOST_NAMED).map(({ names }) => names[0]);
  return `the input holds ${names.join(', ')}${seats.length > MOST_NAMED ? ` and ${seats.length - MOST_NAMED} more` : ''}`;
}

/** What is about the seat itself, and errors of the whole run: they are why nothing is rendered. */
const concerns = (finding: Finding, item: Item): boolean =>
  finding.item === item || (isError(finding) && finding.resource?.kind !== 'Seat');

const asJson = (names: readonly string[], decisions: readonly Decision[], findings: readonly Finding[]): string =>
  toJson({ seat: names[0], decisions, findings: findings.map(publicPart) });

function asText(
  names: readonly string[],
  decisions: readonly Decision[],
  findings: readonly Finding[],
  { output }: Shell,
): string {
  const title = asLine(`Seat ${forTerminal(names.join(', '))}`);
  const rows = [['FIELD', 'VALUE', 'FROM', 'NOTE'], ...decisions.map(rowOf)];
  const table = decisions.length ? `\n${tableOf(rows)}` : '';
  return `${title}\n${table}${findings.length ? `\n${textOf(findings, { colours: output.colours })}` : ''}`;
}

const LONGEST_VALUE = 60;

function rowOf({ field, value, from, note = '' }: Decision): string[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '-');
  const cut = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
  return [field, cut || '""', from, note].map(forTerminal);
}
