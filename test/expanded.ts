// Expands generated packages for properties, and says what holds of the outcome.
import * as fc from 'fast-check';
import { isError } from '../functions/finding';
import { type Expansion, expand } from '../functions/pipeline';
import { readFiles } from '../functions/stages/read/files';
import { writeYaml } from '../functions/stages/write/stream';

export const hold = <T>(property: fc.IProperty<T>, numRuns = 50): void => fc.assert(property, { numRuns });

export const expandFiles = (files: readonly { path: string; bytes: Uint8Array }[]): Expansion => {
  const { value, findings } = readFiles(files, 'package');
  return expand({ items: value, findings });
};
/** A file for each object, so that the order of the files is all that an order of input is. */
export const filesOf = (objects: readonly unknown[]): { path: string; bytes: Uint8Array }[] =>
  objects.map((object, n) => ({ path: `${n}.json`, bytes: Buffer.from(JSON.stringify(object)) }));
export const expandAll = (objects: readonly object[]): Expansion => expandFiles(filesOf(objects));
export const textOf = (expansion: Expansion): string => {
  const chunks: string[] = [];
  writeYaml(expansion, { inputs: false, all: false }, (chunk) => chunks.push(chunk));
  return chunks.join('');
};
export const isRefused = ({ findings }: Expansion): boolean => findings.some(isError);

export interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly spec?: {
    readonly podSelector?: { readonly matchLabels: Record<string, string> };
    readonly selector?: { readonly matchLabels: Record<string, string> };
    readonly template?: { readonly metadata: { readonly labels: Record<string, string> } };
    readonly egress?: readonly object[];
  };
}
export const objectsOf = (expansion: Expansion): Rendered[] =>
  [...expansion.render()].map(({ object }) => object as unknown as Rendered);
export const idOf = ({ kind, metadata }: Rendered): string => `${metadata.namespace}/${kind}/${metadata.name}`;
