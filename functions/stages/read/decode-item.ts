// An item's text as a value, and what is wrong with the text as findings.
import { type Finding, report } from '../../finding';
import type { Item, Outcome } from '../../model';
import { decode } from './decode';
import { placeIn } from './position';

/** Longest text of one object of ours, in UTF-16 units; the API server refuses requests above 3 MiB. */
const LARGEST_OBJECT = 3 * 1024 * 1024;

/** Problems of the text are errors of source `decode`; the value is then not to be used. */
export function decodeItem(item: Item): Outcome<unknown> {
  if (item.text.length > LARGEST_OBJECT) {
    const message = `the object has ${item.text.length} characters; at most ${LARGEST_OBJECT} are read`;
    return { value: undefined, findings: [report('INPUT_TOO_LARGE', item, '', message, { source: 'decode' })] };
  }
  const { value, problems } = decode(item.text);
  return {
    value,
    findings: problems.map(({ code, message, path, line, column }): Finding => {
      const place = item.origin.line > 0 ? placeIn(item.origin, { line, column }) : {};
      return report(code, item, path ?? '', message, { source: 'decode', ...place });
    }),
  };
}

/**
 * What is wrong with an item that tells no kind. It may be one of ours, so text that has no value is an error; repeated
 * keys of foreign objects are not our business.
 */
export const unknownKind = (item: Item): readonly Finding[] =>
  item.kind ? [] : decodeItem(item).findings.filter(({ code }) => code !== 'DUPLICATE_KEY');
