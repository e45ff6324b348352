// Says whether a text is YAML at all, without building a value: foreign objects are not ours to interpret.
import { YAMLException } from 'js-yaml';
import { parseText } from './parse';

/** true, or the first error with its place in the text (from 1). Never throws. */
export function isReadable(
  text: string,
): true | { readonly message: string; readonly line: number; readonly column: number } {
  try {
    parseText(text);
    return true;
  } catch (error) {
    return syntaxError(error);
  }
}

/** What the parser's exception says, as plain data. Any other error is a bug of ours, and thrown on. */
export function syntaxError(error: unknown): { message: string; line: number; column: number } {
  if (!(error instanceof YAMLException)) throw error;
  const { reason, mark } = error;
  return { message: reason, line: (mark?.line ?? 0) + 1, column: (mark?.column ?? 0) + 1 };
}
