// Writes objects for people, shells and GitOps engines: a YAML stream, one JSON List, or files.
import { CONFIG_API, isInput } from '../../kinds';
import type { Expansion, Item } from '../../model';
import { decode } from '../read/decode';
import { endLine } from '../read/documents';
import { toJSON } from './json';
import { type OutputFile, OutputFiles } from './output-files';
import { stagedFiles } from './stages';
import { toYAML } from './yaml';

/** What else is written before the rendered objects. */
export interface Selection {
  /** Seats and TrustTiers. */
  readonly inputs: boolean;
  /** The whole package but what no cluster should get: Kptfiles, kustomizations, function configs, local-config objects. */
  readonly all: boolean;
}

/** Calls `emit` with pieces of a YAML stream; foreign objects byte for byte. False: there was nothing to write. */
export function writeYaml(expansion: Expansion, selection: Selection, emit: (chunk: string) => void): boolean {
  let written = false;
  for (const text of texts(expansion, selection)) {
    emit(written ? `---\n${text}` : text);
    written = true;
  }
  return written;
}

/** Calls `emit` with pieces of one `v1` List. False: its `items` are empty. */
export function writeJson(expansion: Expansion, selection: Selection, emit: (chunk: string) => void): boolean {
  let separator = '\n';
  emit('{"apiVersion": "v1", "kind": "List", "items": [');
  const add = (json: string): void => {
    emit(separator + json);
    separator = ',\n';
  };
  for (const { text } of selected(expansion, selection)) add(toJSON(decode(text).value));
  for (const { object, home } of expansion.render()) if (home) add(JSON.stringify(object));
  emit(`${separator === '\n' ? '' : '\n'}]}\n`);
  return separator !== '\n';
}

/** The same objects as files: the package's own where they were, rendered ones below the configured folder; or in stages. */
export function filesOf(expansion: Expansion, selection: Selection): readonly OutputFile[] {
  const items = selected(expansion, selection);
  if (expansion.options.layout === 'split') return stagedFiles(items, expansion.render());
  const files = new OutputFiles();
  for (const { text, origin } of items) files.add(origin.file ?? 'inputs.yaml', endLine(text));
  const folder = selection.all || selection.inputs ? `${expansion.options.directory}/` : '';
  for (const { object, file } of expansion.render()) files.add(`${folder}${file}`, toYAML(object));
  return files.list();
}

function* texts(expansion: Expansion, selection: Selection): Iterable<string> {
  for (const { text } of selected(expansion, selection)) yield endLine(text);
  for (const { object, home } of expansion.render()) if (home) yield toYAML(object);
}

function selected({ kept, inline, configs, options }: Expansion, { inputs, all }: Selection): readonly Item[] {
  const wanted = (item: Item): boolean =>
    isInput(item) ? inputs || (all && options.inputs !== 'drop') : all && isForCluster(item);
  return [...inline.filter(wanted), ...kept.filter((item) => wanted(item) && !configs.includes(item))];
}

function isForCluster({ kind, apiVersion, name, annotations }: Item): boolean {
  const isTooling =
    kind === 'Kptfile' || apiVersion.startsWith('kustomize.config.k8s.io/') || apiVersion === CONFIG_API;
  return (
    Boolean(kind && apiVersion && name) && !isTooling && annotations['config.kubernetes.io/local-config'] !== 'true'
  );
}
