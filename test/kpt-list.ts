// A package as kpt hands it to a function, and back: canonical block YAML, every item marked with where it lives.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Document, isMap, isScalar, parseAllDocuments, parseDocument, Scalar } from 'yaml';
import { listFiles } from '../functions/cli/walk';
import { inputConfigMap } from './fixtures';

/** Texts of a package's objects, by file: the path below its package, and the package's own folder. */
export interface PackageFile {
  readonly path: string;
  readonly packagePath: string;
  readonly documents: readonly string[];
}

const FAILSAFE = { schema: 'failsafe', uniqueKeys: false } as const;
const STYLE = { lineWidth: 0, indentSeq: false, flowCollectionPadding: false } as const;
const ROOT = '/package';
const MARK =
  /^(?:internal\.config\.k(?:ubernetes|8s)\.io|config\.kubernetes\.io|config\.k8s\.io)\/(?:path|index|package-path|seqindent|id)$/;

/** Kustomization files of the package too: kpt hands them on although they often have no kind. */
export function readPackage(copy: string): PackageFile[] {
  const files = listFiles(copy).paths;
  const kustomizations = readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter(
    (path) => basename(path) === 'kustomization.yaml',
  );
  const packages = files.filter((path) => path.endsWith('Kptfile')).map((path) => dirname(path));
  return [...files, ...kustomizations].sort().map((path) => {
    const owner = nearestPackage(dirname(path), packages);
    return {
      path: owner === '.' ? path : path.slice(owner.length + 1),
      packagePath: owner === '.' ? ROOT : `${ROOT}/${owner}`,
      documents: parseAllDocuments(readFileSync(join(copy, path), 'utf8'), FAILSAFE)
        .filter((document) => isMap(document.contents))
        .map(textOf),
    };
  });
}

function nearestPackage(folder: string, packages: readonly string[]): string {
  return folder === '.' || packages.includes(folder) ? folder : nearestPackage(dirname(folder), packages);
}

/** Without the marker that begins a document. */
function textOf(document: Document.Parsed): string {
  if (document.directives) document.directives.docStart = null;
  return document.toString(STYLE).replace(/[\u0085\u2028\u2029]/g, (line) => LINE_ESCAPES[line] ?? line);
}
/** go-yaml takes these for ends of lines and escapes them. */
const LINE_ESCAPES: Readonly<Record<string, string>> = { '\u0085': '\\N', '\u2028': '\\L', '\u2029': '\\P' };

export interface WireItem {
  readonly path: string;
  readonly text: string;
}

/** The items of a list, each with its dash, in the order of files. */
export const wireItems = (files: readonly PackageFile[]): WireItem[] =>
  files.flatMap(({ path, packagePath, documents }) =>
    documents.map((text, index) => {
      const document = parseDocument(text, FAILSAFE);
      mark(document, {
        'internal.config.kubernetes.io/package-path': packagePath,
        'internal.config.kubernetes.io/path': path,
        'internal.config.kubernetes.io/index': String(index),
        'config.kubernetes.io/path': path,
        'config.kubernetes.io/index': String(index),
      });
      return { path: join(packagePath, path), text: asItem(textOf(document)) };
    }),
  );

function mark(document: Document.Parsed, marks: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(marks)) {
    const scalar = new Scalar(value);
    scalar.type = Scalar.QUOTE_SINGLE;
    const path = ['metadata', 'annotations', key];
    for (const depth of [1, 2])
      if (!isMap(document.getIn(path.slice(0, depth)))) document.setIn(path.slice(0, depth), document.createNode({}));
    document.setIn(path, scalar);
  }
}

/** As go-yaml writes what it read: merge keys carry their tag. */
const asItem = (text: string): string =>
  `- ${text
    .replace(/^( *)<<:/gm, '$1!!merge <<:')
    .trimEnd()
    .replace(/\n(?=[^\n])/g, '\n  ')}\n`;

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';

/** The ResourceList, with the function config that the package's Kptfile names. */
export function wireList(
  items: readonly WireItem[],
  config: { readonly path: string } | { readonly data: object } | undefined,
): string {
  const list = `${HEAD}${items.length ? 'items:\n' : 'items: []\n'}${items.map(({ text }) => text).join('')}`;
  if (!config) return list;
  const text = 'data' in config ? inputConfigMap(config.data) : itemAt(items, config.path);
  return `${list}functionConfig:\n${text.replace(/^(?=.)/gm, '  ')}`;
}

function itemAt(items: readonly WireItem[], path: string): string {
  const item = items.find((one) => one.path === join(ROOT, path));
  if (!item) throw new Error(`no item at ${path}`);
  return item.text.replace(/^- /, '  ').replace(/^ {2}/gm, '');
}

/** The files that kpt writes from a list: marks taken off, each object where its marks say. */
export function writtenFiles(list: string): PackageFile[] {
  const { contents } = parseDocument(list.replaceAll('!!merge <<:', '<<:'), FAILSAFE);
  const items = isMap(contents) ? (contents.get('items') as { items: unknown[] }).items : [];
  const places = new Map<string, { path: string; packagePath: string; documents: Map<number, string> }>();
  for (const node of items) {
    const document = parseDocument('', FAILSAFE) as Document.Parsed;
    document.contents = node as never;
    const { path, index, 'package-path': packagePath = ROOT } = unmark(document);
    if (path === undefined || index === undefined) throw new Error(`an item has no place:\n${document}`);
    const key = join(packagePath, path);
    const file = places.get(key) ?? { path, packagePath, documents: new Map() };
    if (file.documents.has(Number(index))) throw new Error(`two items at ${key}, ${index}`);
    file.documents.set(Number(index), textOf(document));
    places.set(key, file);
  }
  return [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { documents, ...place }]) => ({
      ...place,
      documents: [...documents].sort(([a], [b]) => a - b).map(([, text]) => text),
    }));
}

/** Removes kpt's marks; returns them by the last part of their key. */
function unmark(document: Document.Parsed): Record<string, string | undefined> {
  const annotations = document.getIn(['metadata', 'annotations']);
  const found: Record<string, string> = {};
  if (!isMap(annotations)) return found;
  for (const { key, value } of [...annotations.items]) {
    const name = isScalar(key) ? String(key.value) : '';
    if (!MARK.test(name)) continue;
    found[name.slice(name.lastIndexOf('/') + 1)] ??= String(isScalar(value) ? value.value : '');
    annotations.delete(key);
  }
  if (annotations.items.length === 0) document.deleteIn(['metadata', 'annotations']);
  return found;
}
