// Findings as JSON for programs: `{"findings": [{severity, code, kind, message, resource, path, file, line, column, …}]}`.

import { forJson } from '../escape';
import type { Finding } from '../finding';
import { type Kind, kindOf } from '../finding-kind';

export const jsonOf = (findings: readonly Finding[]): string => toJson({ findings: findings.map(publicPart) });

/** A finding without the item that it points into, and with its kind. */
export function publicPart({ item: _, ...finding }: Finding): Omit<Finding, 'item'> & { readonly kind: Kind } {
  return { ...finding, kind: kindOf(finding.code) };
}

/** Indented JSON that is safe to print, ended by a newline. Integers beyond 2^53 stand as text. */
export const toJson = (value: unknown): string =>
  `${forJson(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part), 2))}\n`;
