// Objects as YAML text that every reader of Kubernetes YAML (YAML 1.1 and 1.2) understands the same way.
import { dump } from 'js-yaml';

const OPTIONS = { lineWidth: -1, noRefs: true, seqNoIndent: true } as const;

/** One object in block style, ending in a newline. Strings that some reader would take for something else are quoted. */
export const toYAML = (value: object): string => dump(value, OPTIONS);

/** The same as an entry of a block list: a dash at column `dash`, everything below it two further in. */
export function toListEntry(value: object, dash: number): string {
  const indent = ' '.repeat(dash);
  const text = toYAML(value).replace(/\n(?=[^\n])/g, `\n${indent}  `);
  return `${indent}- ${text}`;
}
