// Findings as results of the KRM Functions Specification: what kpt shows and saves.
import { compare, type Finding } from '../../finding';

/** Marks a result as ours. */
export const CODE_TAG = 'seatplan.dev/code';

/** `severity: warning` and `proposedValue` as the specification spells them; kpt knows no field without a resource. */
export function toResult(finding: Finding): object {
  const { message, severity, resource, path, value, proposed, file, index, code, source } = finding;
  return {
    message,
    severity,
    ...(resource ? { resourceRef: resource } : {}),
    ...(resource && path
      ? {
          field: {
            path,
            ...(value === undefined ? {} : { currentValue: value }),
            ...(proposed === undefined ? {} : { proposedValue: proposed }),
          },
        }
      : {}),
    ...(file === undefined ? {} : { file: { path: file, ...(index === undefined ? {} : { index }) } }),
    tags: Object.fromEntries(
      Object.entries({ [CODE_TAG]: code, 'seatplan.dev/source': source }).sort(([a], [b]) => compare(a, b)),
    ),
  };
}
