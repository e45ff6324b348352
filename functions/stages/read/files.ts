// Reads YAML and JSON files into items: documents, and the members of Lists. What is no Kubernetes object is named.
import { type Finding, report } from '../../finding';
import { expectedVersion } from '../../kinds';
import type { Item, Outcome } from '../../model';
import { unknownKind } from './decode-item';
import { type Slice, splitDocuments } from './documents';
import { textOf } from './encoding';
import { readHeader } from './header';
import { itemOfFile } from './items';
import { listAt } from './lists';
import { placeIn } from './position';
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
  let before = 0;
  for (const { path, bytes } of files) {
    const text = textOf(bytes, path, before);
    before += bytes.length;
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
  const list = membersOf(slice);
  if (typeof list === 'object') {
    for (const member of list) readDocument(member, file, index, level, items, findings);
    return;
  }
  const item = itemOfFile(slice, file, index, level);
  const finding = list ? report('INVALID_YAML', item, 'items', list) : judge(item);
  if (finding) findings.push(finding);
  if (finding?.severity !== 'error') items.push(item);
}

/** The members of a List or a typed list (`SeatList`), or why they cannot be told apart. undefined: any other object. */
function membersOf(slice: Slice): readonly Slice[] | string | undefined {
  const { apiVersion, kind, name } = readHeader(slice.text);
  if (!kind.endsWith('List') || !apiVersion || name) return undefined;
  const list = listAt(slice.text, ['items'], slice);
  if (!list) return undefined;
  if (list.isShared) return 'the objects of this list share values by anchors; write the values out';
  const isTyped = kind !== 'List' && kind !== 'ResourceList';
  return isTyped ? list.slices.map((member) => typed(member, apiVersion, kind.slice(0, -'List'.length))) : list.slices;
}

/** A member of a typed list may leave its own type out. */
function typed(member: Slice, apiVersion: string, kind: string): Slice {
  const own = readHeader(member.text);
  if (own.kind || own.apiVersion) return member;
  const [lead, indent = '', first] = /^(?:\s*#.*\n)*(\s*)(\S)/.exec(member.text) ?? [''];
  if (first === '{') {
    const type = JSON.stringify({ apiVersion, kind }).slice(0, -1);
    const text = `${member.text.slice(0, lead.length - 1)}${type},${member.text.slice(lead.length)}`;
    return { ...member, text, column: member.column - type.length };
  }
  // On the line before, so that positions stay true; two entries on one line would not be block style.
  const type = `${indent}apiVersion: ${apiVersion}\n${indent}kind: ${kind}\n`;
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
      source: 'decode',
      ...placeIn(item.origin, readable),
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
