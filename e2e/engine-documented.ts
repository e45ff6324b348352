// What docs/kpt-live.md ships for users to copy: the tests run exactly that.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const TEXT = readFileSync(resolve(__dirname, '../docs/kpt-live.md'), 'utf8');

/** The block of this language whose first line is `# <title>`. */
export function documented(language: 'sh' | 'yaml', title: string): string {
  const [, text] = TEXT.split(`\`\`\`${language}\n# ${title}\n`);
  if (text === undefined) throw new Error(`docs/kpt-live.md has no block "${title}"`);
  return text.slice(0, text.indexOf('\n```'));
}

/** Whether the page explains a phrase of a message. */
export const isExplained = (phrase: string): boolean => TEXT.includes(phrase);
