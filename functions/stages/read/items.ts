// Makes items of text: the one place that knows what an Item is made from.
import type { Item, Origin } from '../../model';
import type { Slice } from './documents';
import { readHeader } from './header';

/** Where kpt says that an item's text lives; the older spelling counts where the newer one is missing. */
export const PATH = ['internal.config.kubernetes.io/path', 'config.kubernetes.io/path'] as const;
export const INDEX = ['internal.config.kubernetes.io/index', 'config.kubernetes.io/index'] as const;
export const PACKAGE_PATH = 'internal.config.kubernetes.io/package-path';

/** An item whose file is named by its own annotations, as in a ResourceList. Its line there says nothing about the file: 0. */
export function itemOfSlice({ text, line, column }: Slice): Item {
  const header = readHeader(text);
  const file = annotation(header.annotations, PATH);
  const index = Number.parseInt(annotation(header.annotations, INDEX) ?? '', 10);
  const origin: Origin = {
    ...(file === undefined ? {} : { file }),
    ...(Number.isSafeInteger(index) && index >= 0 ? { index } : {}),
    line,
    column,
  };
  return { text, origin, level: 'package', ...header };
}

/** An item of a file that was read by us. */
export function itemOfFile(slice: Slice, file: string, index: number, level: Item['level']): Item {
  return {
    text: slice.text,
    origin: { file, index, line: slice.line, column: slice.column },
    level,
    ...readHeader(slice.text),
  };
}

/** An item that stands inside another, such as a Seat in a function config: it lives where that one lives. */
export function itemOfInline(slice: Slice, { origin, level }: Item): Item {
  return {
    text: slice.text,
    origin: { ...origin, line: slice.line, column: slice.column },
    level,
    ...readHeader(slice.text),
  };
}

/** The value under the first of several spellings. */
export const annotation = (annotations: Item['annotations'], spellings: readonly string[]): string | undefined =>
  spellings.map((key) => annotations[key]).find((value) => value !== undefined);
