// Gives rendered objects their place in a package: the bookkeeping annotations that kpt and kustomize go by.
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Item, Rendered } from '../../model';
import { identityOf, packageFolders, refOf } from '../account';
import { INDEX, PACKAGE_PATH, PATH } from '../read/items';

export interface Placing {
  readonly kept: readonly Item[];
  readonly rendered: Iterable<Rendered>;
  readonly predecessors: ReadonlyMap<string, Item>;
  /** Folder of rendered files inside a package. */
  readonly directory: string;
}

/** A package that gets rendered files. */
interface Home {
  /** As paths of the package are written; undefined: its seats stand in no file, and so do their objects. */
  readonly folder: string | undefined;
  readonly packagePath: string | undefined;
  readonly files: Set<string>;
  /** The next free place in a file. */
  readonly indexIn: (path: string) => number;
}

/** Rendered objects with the bookkeeping that kpt needs to write them: a path, an index, and their predecessor's marks. */
export function* placed({ kept, rendered, predecessors, directory }: Placing): Iterable<KubernetesObject> {
  const homes = new Map<string, Home>();
  const folderOf = packageFolders(kept);
  const indexIn = freeIndexes(kept);
  const homeOf = (item: Item): Home => {
    const folder = item.origin.file === undefined ? undefined : `${folderOf(item)}${directory}`;
    const packagePath = item.annotations[PACKAGE_PATH];
    const key = `${packagePath}\0${folder}`;
    const home = homes.get(key) ?? {
      folder,
      packagePath,
      files: new Set(),
      indexIn: (path) => indexIn(packagePath, path),
    };
    homes.set(key, home);
    return home;
  };
  const perPackage: Rendered[] = [];
  for (const one of rendered) {
    if (!one.home) {
      perPackage.push(one);
      continue;
    }
    const { object, file } = one;
    const home = homeOf(one.home);
    if (perPackage.length) home.files.add(file);
    yield marked(object, home, file, predecessors);
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
    if (resources.length === 0) continue; // kustomize refuses it, and there is nothing to apply
    yield marked({ ...object, resources: resources.sort() } as KubernetesObject, home, file, predecessors);
  }
}

function marked(
  object: KubernetesObject,
  { folder, packagePath, indexIn }: Home,
  file: string,
  predecessors: ReadonlyMap<string, Item>,
): KubernetesObject {
  const path = `${folder}/${file}`;
  const predecessor = predecessors.get(identityOf(refOf(object)));
  // Kustomizations of several packages have one name; the marks belong to the one that stood here.
  const stoodHere = predecessor?.origin.file === path && predecessor.annotations[PACKAGE_PATH] === packagePath;
  const marks = {
    ...(folder === undefined ? {} : pathMarks(path, indexIn(path))),
    ...(packagePath === undefined ? {} : { [PACKAGE_PATH]: packagePath }),
    ...(object.metadata?.namespace !== undefined || stoodHere ? carried(predecessor) : {}),
  };
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata?.annotations, ...marks } } };
}

const pathMarks = (path: string, index: number): Record<string, string> => ({
  ...Object.fromEntries(PATH.map((key) => [key, path])),
  ...Object.fromEntries(INDEX.map((key) => [key, String(index)])),
});

/** kpt and kustomize find comments, list style and references again by these. */
const CARRIED =
  /^(?:internal\.config\.kubernetes\.io\/(?:id|seqindent|annotations-migration-resource-id|previous\w+|prefixes|suffixes|refBy|.*kpt-resource-id)|config\.k8s\.io\/id|internal\.config\.k8s\.io\/kpt-resource-id|kustomize\.config\.k8s\.io\/id)$/;
const carried = (predecessor: Item | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(predecessor?.annotations ?? {}).filter(([key]) => CARRIED.test(key)));

/**
 * The next place in a file that no object has. An object that stays may have one: the claim of a seat that moved to another
 * namespace, or what a user added; kpt refuses two objects in one place.
 */
function freeIndexes(kept: readonly Item[]): (packagePath: string | undefined, path: string) => number {
  const key = (packagePath = '', path = ''): string => `${packagePath}\0${path}`;
  const taken = new Map<string, Set<number>>();
  for (const { annotations, origin } of kept) {
    const file = key(annotations[PACKAGE_PATH], origin.file);
    taken.set(file, (taken.get(file) ?? new Set()).add(origin.index ?? 0));
  }
  const next = new Map<string, number>();
  return (packagePath, path) => {
    const file = key(packagePath, path);
    let index = next.get(file) ?? 0;
    while (taken.get(file)?.has(index)) index += 1;
    next.set(file, index + 1);
    return index;
  };
}
