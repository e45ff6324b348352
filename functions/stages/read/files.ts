// Reads YAML and JSON files into items: documents, and the members of Lists. What is no Kubernetes object is named.
import { type Finding, report } from '../../finding';
import { expectedVersion } from '../../kinds';
import type { Item, Outcome } from '../../model';
import { unknownKind } from './decode-item';
import { parseList, type Slice, splitDocuments } from './documents';
import { textOf } from './encoding';
import { readHeader } from './header';
import { itemOfFile } from './items';
import { isReadable } from './syntax';

export interface SourceFile {
  /** Relative to the folder that the user named, `/` between parts. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** All items of the files, in their order. A file that is not readable is an error finding and has no items. */
export function readFiles(files: readonly SourceFile[], level: Item['level']): Outcome<readonly Item[]> {
  const items: Item[] = [];
  const findings: Finding[] = [];
  for (const { path, bytes } of files) {
    const text = textOf(bytes, path);
    if (typeof text !== 'string') findings.push(text);
    else
      for (const [index, slice] of splitDocuments(text).entries())
        readDocument(slice, path, index, level, items, findings);
  }
  return { value: items, findings };
}

function readDocument(
  slice: Slice,
  file: string,
  index: number,
  level: Item['level'],
  items: Item[],
  findings: Finding[],
): void {
  const { apiVersion, kind } = readHeader(slice.text);
  if (kind.endsWith('List') && apiVersion) {
    const list = parseList(slice.text, slice);
    if (list?.items) {
      for (const member of list.items) {
        readDocument(
          kind === 'List' || kind === 'ResourceList' ? member : typed(member, apiVersion, kind),
          file,
          index,
          level,
          items,
          findings,
        );
      }
      return;
    }
  }
  const item = itemOfFile(slice, file, index, level);
  const finding = judge(item);
  if (finding) findings.push(finding);
  if (finding?.severity !== 'error') items.push(item);
}

/** A member of a typed list (`SeatList`) may leave its own type out. */
function typed(member: Slice, apiVersion: string, kind: string): Slice {
  const own = readHeader(member.text);
  if (own.kind || own.apiVersion) return member;
  if (/^\s*\{/.test(member.text)) {
    const type = JSON.stringify({ apiVersion, kind: kind.slice(0, -'List'.length) }).slice(0, -1);
    return { ...member, text: member.text.replace('{', `${type},`) };
  }
  const indent = ' '.repeat(member.text.search(/\S/));
  // On the line before, so that positions stay true; two entries on one line would not be block style.
  const type = `${indent}apiVersion: ${apiVersion}\n${indent}kind: ${kind.slice(0, -'List'.length)}\n`;
  return { ...member, text: type + member.text, line: member.line - 2 };
}

/** What the user should know of a document that is no object or cannot be read. */
function judge(item: Item): Finding | undefined {
  if (expectedVersion(item)) return undefined; // decoded, and then judged, by the next stage
  const readable = isReadable(item.text);
  if (readable === true && item.kind) return undefined;
  if (readable !== true && item.text.includes('{{')) {
    return report('HELM_TEMPLATE', item, '', 'this is a template, not YAML: render it first, or list it in .krmignore');
  }
  if (readable !== true) {
    return report('INVALID_YAML', item, '', readable.message, {
      line: item.origin.line + readable.line - 1,
      column: readable.column,
    });
  }
  const [problem] = unknownKind(item);
  if (problem) return problem;
  return report(
    'NOT_A_RESOURCE',
    item,
    '',
    'this YAML has no `kind` and is left alone; list it in .krmignore to silence this',
  );
}
