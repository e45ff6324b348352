// Writes a ResourceList: items that stay leave byte for byte as they came, rendered objects follow, then the findings.
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Finding } from '../../finding';
import type { Item, Rendered } from '../../model';
import { identityOf, packageFolders } from '../account';
import { decode } from '../read/decode';
import { closed } from '../read/flow';
import { INDEX, PACKAGE_PATH, PATH } from '../read/items';
import type { ResourceList } from '../read/resource-list';
import { toJSON } from './json';
import { toResult } from './results';
import { toListEntry } from './yaml';

export interface ResourceListParts {
  readonly kept: readonly Item[];
  /** Items of the function config that are to become objects of the list. */
  readonly inline: readonly Item[];
  readonly rendered: Iterable<Rendered>;
  readonly predecessors: ReadonlyMap<string, Item>;
  /** Folder of rendered files inside a package. */
  readonly directory: string;
  readonly findings: readonly Finding[];
}

/** The text in pieces, in order. Valid for every input that could be read. */
export function* writeResourceList(list: ResourceList, parts: ResourceListParts): Iterable<string> {
  if (list.dash < 0) yield* writeFlow(list, parts);
  else yield* writeBlock(list, parts);
}

function* writeBlock(
  { before, opening, after, earlierResults, dash }: ResourceList,
  parts: ResourceListParts,
): Iterable<string> {
  yield before;
  let first = true;
  for (const entry of entries(parts, dash)) {
    if (first) yield opening;
    first = false;
    yield entry;
  }
  if (first) yield 'items: []\n';
  yield after;
  yield resultsText(earlierResults, parts.findings);
}

function* entries({ kept, ...parts }: ResourceListParts, dash: number): Iterable<string> {
  for (const { text } of kept) yield endLine(`${text.slice(0, dash)}-${text.slice(dash + 1)}`);
  for (const { text } of parts.inline) yield toListEntry(decode(text).value as object, dash);
  for (const object of placed({ kept, ...parts })) yield toListEntry(object, dash);
}

const endLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/** JSON (and KYAML) lists stay what they were: their reader may know nothing else. */
function* writeFlow({ before, after, earlierResults }: ResourceList, parts: ResourceListParts): Iterable<string> {
  yield `{${before}"items": [`;
  let separator = '\n';
  for (const { text } of parts.kept) {
    yield separator + closed(text);
    separator = ',\n';
  }
  for (const object of [...parts.inline.map(({ text }) => decode(text).value), ...placed(parts)]) {
    yield separator + toJSON(object);
    separator = ',\n';
  }
  yield `]${after}`;
  const results = [...resultsOf(earlierResults), ...parts.findings.map(toResult)];
  if (results.length) yield `,\n"results": ${toJSON(results)}`;
  yield '}\n';
}

/** Results of earlier functions stay, and as they are written where that text can be continued. */
function resultsText(earlier: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return earlier;
  const block = /^results:[ \t]*\r?\n( *)- /.exec(earlier);
  const indent = block?.[1]?.length ?? 0;
  const entry = (result: unknown): string => toListEntry(result as object, indent);
  const own = findings.map((finding) => entry(toResult(finding))).join('');
  return block ? `${endLine(earlier)}${own}` : `results:\n${resultsOf(earlier).map(entry).join('')}${own}`;
}

/** An old form has them under `items`. */
function resultsOf(earlier: string): unknown[] {
  const { results } = (decode(earlier).value ?? {}) as { results?: unknown };
  const list = Array.isArray(results) ? results : (results as { items?: unknown } | null | undefined)?.items;
  return Array.isArray(list) ? list : [];
}

/** A package that gets rendered files. */
interface Home {
  /** As paths of the package are written; undefined: its seats stand in no file, and so do their objects. */
  readonly folder: string | undefined;
  readonly packagePath: string | undefined;
  readonly files: Set<string>;
}

/** Rendered objects with the bookkeeping that kpt needs to write them: a path, an index, and their predecessor's marks. */
export function* placed({
  kept,
  rendered,
  predecessors,
  directory,
}: Pick<ResourceListParts, 'kept' | 'rendered' | 'predecessors' | 'directory'>): Iterable<KubernetesObject> {
  const homes = new Map<string, Home>();
  const folderOf = packageFolders(kept);
  const homeOf = (item: Item): Home => {
    const folder = item.origin.file === undefined ? undefined : `${folderOf(item)}${directory}`;
    const packagePath = item.annotations[PACKAGE_PATH];
    const key = `${packagePath}\0${folder}`;
    const home = homes.get(key) ?? { folder, packagePath, files: new Set() };
    homes.set(key, home);
    return home;
  };
  const perPackage: Rendered[] = [];
  for (const one of rendered) {
    if (!one.seat) {
      perPackage.push(one);
      continue;
    }
    const { object, file, index } = one;
    const home = homeOf(one.seat.seat.item);
    if (perPackage.length) home.files.add(file);
    yield marked(object, home, file, index, predecessors);
  }
  for (const { object, file } of perPackage) yield* kustomizations(object, file, [...homes.values()], predecessors);
}

/** A Kustomization for each package that has files of its folder, naming those and no other's. */
function* kustomizations(
  object: KubernetesObject,
  file: string,
  homes: readonly Home[],
  predecessors: ReadonlyMap<string, Item>,
): Iterable<KubernetesObject> {
  const stage = file.slice(0, file.lastIndexOf('/') + 1);
  for (const home of homes) {
    if (home.folder === undefined) continue;
    const resources = [...home.files].filter((one) => one.startsWith(stage)).map((one) => one.slice(stage.length));
    yield marked({ ...object, resources: resources.sort() } as KubernetesObject, home, file, 0, predecessors);
  }
}

function marked(
  object: KubernetesObject,
  { folder, packagePath }: Home,
  file: string,
  index: number,
  predecessors: ReadonlyMap<string, Item>,
): KubernetesObject {
  const path = `${folder}/${file}`;
  const predecessor = predecessors.get(identityOf(refOf(object)));
  // Kustomizations of several packages have one name; the marks belong to the one that stood here.
  const stoodHere = predecessor?.origin.file === path && predecessor.annotations[PACKAGE_PATH] === packagePath;
  const marks = {
    ...(folder === undefined ? {} : pathMarks(path, index)),
    ...(packagePath === undefined ? {} : { [PACKAGE_PATH]: packagePath }),
    ...(object.metadata?.namespace !== undefined || stoodHere ? carried(predecessor) : {}),
  };
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata?.annotations, ...marks } } };
}

const refOf = ({ apiVersion = '', kind = '', metadata }: KubernetesObject) => ({
  apiVersion,
  kind,
  name: metadata?.name ?? '',
  ...(metadata?.namespace ? { namespace: metadata.namespace } : {}),
});

const pathMarks = (path: string, index: number): Record<string, string> => ({
  ...Object.fromEntries(PATH.map((key) => [key, path])),
  ...Object.fromEntries(INDEX.map((key) => [key, String(index)])),
});

/** kpt and kustomize find comments, list style and references again by these. */
const CARRIED =
  /^(?:internal\.config\.kubernetes\.io\/(?:id|seqindent|annotations-migration-resource-id|previous\w+|prefixes|suffixes|refBy|.*kpt-resource-id)|config\.k8s\.io\/id|internal\.config\.k8s\.io\/kpt-resource-id|kustomize\.config\.k8s\.io\/id)$/;
const carried = (predecessor: Item | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(predecessor?.annotations ?? {}).filter(([key]) => CARRIED.test(key)));

/** The list as it came, with findings: what a failed run and a validator answer. */
export const echo = (list: ResourceList, findings: readonly Finding[], items = list.items): Iterable<string> =>
  writeResourceList(list, { kept: items, inline: [], rendered: [], predecessors: new Map(), directory: '', findings });
