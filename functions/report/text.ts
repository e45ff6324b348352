// Findings for people: one line each, `file:line:column: severity CODE Kind/namespace/name field: message`.

import { asLine, forTerminal } from '../escape';
import type { Finding, Severity } from '../finding';
import type { ObjectRef } from '../model';

const COLOURS: Readonly<Record<Severity, string>> = {
  error: '\u001b[1;31m',
  warning: '\u001b[1;33m',
  info: '\u001b[1;36m',
};
const BOLD = '\u001b[1m';
const PLAIN = '\u001b[0m';

export interface TextStyle {
  readonly colours: boolean;
}

/** One line per finding, each ended by a newline; nothing for no finding. */
export const textOf = (findings: readonly Finding[], style: TextStyle): string =>
  findings.map((finding) => `${lineOf(finding, style)}\n`).join('');

/** One finding as one line without its end. Parts that are unknown are left out. */
export function lineOf(finding: Finding, { colours }: TextStyle): string {
  const { severity, code, resource, path, message } = finding;
  const paint = (text: string, colour: string): string => (colours ? `${colour}${text}${PLAIN}` : text);
  const place = placeOf(finding);
  const subject = [resource && nameOf(resource), path].filter((part) => part !== undefined && part !== '');
  const words = [
    ...(place ? [`${paint(forTerminal(place), BOLD)}:`] : []),
    paint(severity, COLOURS[severity]),
    [code, ...subject.map((part) => forTerminal(part ?? ''))].join(' ').concat(':'),
    forTerminal(message),
  ];
  return asLine(words.join(' '));
}

/** `file:line:column` as far as it is known. */
export function placeOf({ file, line, column }: Finding): string {
  const numbers = line === undefined ? [] : column === undefined ? [line] : [line, column];
  return file === undefined ? '' : [file, ...numbers].join(':');
}

export type Named = Pick<ObjectRef, 'kind' | 'name'> & { readonly namespace?: string | undefined };

/** `Kind/namespace/name`, without the namespace where there is none. */
export const nameOf = ({ kind, namespace, name }: Named): string =>
  [kind, namespace, name].filter((part) => part !== undefined && part !== '').join('/');

/** `2 errors, 1 warning`; empty without findings. */
export function summaryOf(findings: readonly Finding[]): string {
  const counts = (['error', 'warning', 'info'] as const).map((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? '' : `${count} ${severity}${count === 1 || severity === 'info' ? '' : 's'}`;
  });
  return counts.filter((part) => part !== '').join(', ');
}
