// Says whether a text is YAML at all, without building a value: foreign objects are not ours to interpret.
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

/** What a parser's exception says, as plain data. */
export function syntaxError(error: unknown): { message: string; line: number; column: number } {
  const { reason, mark, message } = error as {
    reason?: string;
    mark?: { line?: number; column?: number };
    message?: string;
  };
  return { message: reason ?? message ?? String(error), line: (mark?.line ?? 0) + 1, column: (mark?.column ?? 0) + 1 };
}
