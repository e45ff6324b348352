// Findings as JSON for programs: `{"findings": [{severity, code, message, resource, path, file, line, column, …}]}`.

import { forJson } from '../escape';
import type { Finding } from '../finding';

export const jsonOf = (findings: readonly Finding[]): string => toJson({ findings: findings.map(publicPart) });

/** A finding without the item that it points into. */
function publicPart({ item: _, ...finding }: Finding): Omit<Finding, 'item'> {
  return finding;
}

/** Indented JSON that is safe to print, ended by a newline. Integers beyond 2^53 stand as text. */
export const toJson = (value: unknown): string =>
  `${forJson(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part), 2))}\n`;
