// Findings as results of the KRM Functions Specification: what kpt shows and saves.

import { forTerminal } from '../../escape';
import { compare, type Finding } from '../../finding';
import { kindOf } from '../../finding-kind';
import type { ObjectRef } from '../../model';

/** Marks a result as ours. */
export const CODE_TAG = 'seatplan.dev/code';

/**
 * `severity: warning` and `proposedValue` as the specification spells them; kpt knows no field without a resource.
 * kpt prints message, resource and field to the terminal as they are.
 */
export function toResult(finding: Finding): object {
  const { message, severity, resource, path, value, proposed, file, index, code, source } = finding;
  return {
    message: forTerminal(message),
    severity,
    ...(resource ? { resourceRef: escaped(resource) } : {}),
    ...(resource && path
      ? {
          field: {
            path: forTerminal(path),
            ...(value === undefined ? {} : { currentValue: value }),
            ...(proposed === undefined ? {} : { proposedValue: proposed }),
          },
        }
      : {}),
    ...(file === undefined ? {} : { file: { path: file, ...(index === undefined ? {} : { index }) } }),
    tags: Object.fromEntries(
      Object.entries({ [CODE_TAG]: code, 'seatplan.dev/kind': kindOf(code), 'seatplan.dev/source': source }).sort(
        ([a], [b]) => compare(a, b),
      ),
    ),
  };
}

const escaped = (resource: ObjectRef): object =>
  Object.fromEntries(Object.entries(resource).map(([key, text]) => [key, forTerminal(text)]));
