// What the two KRM functions share: one ResourceList in, one out, findings as results, never an empty answer with exit 0.
import { byImportance, type Finding, isError, report } from './finding';
import { isInput } from './kinds';
import type { Expansion, Item } from './model';
import { expand } from './pipeline';
import { textOf } from './stages/read/encoding';
import { annotation, PATH } from './stages/read/items';
import { NO_LIST, type ResourceList, readResourceList } from './stages/read/resource-list';
import { echo, writeResourceList } from './stages/write/resource-list';

export interface Answer {
  /** Pieces of the ResourceList for stdout. */
  readonly output: Iterable<string>;
  readonly findings: readonly Finding[];
  /** Whether findings are to be printed too: kustomize shows nothing of a function but its stderr. */
  readonly print: boolean;
}

export interface Call {
  readonly stdin: Uint8Array;
  readonly platform: readonly Item[] | undefined;
  /** Findings of reading the platform level. */
  readonly findings: readonly Finding[];
  /** An orchestrator that asks for findings on stderr. */
  readonly logToStderr: boolean;
}

/** Expands the seats of a ResourceList. With an error: the items as they came. */
export function expandList(call: Call): Answer {
  const { list, expansion, findings, print } = run(call);
  if (findings.some(isError)) return { output: echo(list, findings), findings, print };
  const { options, kept, inline, predecessors } = expansion;
  const output = writeResourceList(list, {
    kept: options.inputs === 'drop' ? kept.filter((item) => !isInput(item)) : kept,
    inline: options.inputs === 'keep' ? inline : [],
    rendered: expansion.render(),
    predecessors,
    directory: options.directory,
    findings,
  });
  return { output, findings, print };
}

/**
 * Validates a ResourceList. Items are echoed, except to kustomize: it compares what a validator returns with what it sent
 * and finds its own annotations to differ (kubernetes-sigs/kustomize#5036); there an empty list changes nothing.
 */
export function validateList(call: Call): Answer {
  const { list, findings, print, isKustomize } = run(call);
  return { output: echo(list, findings, isKustomize ? [] : list.items), findings, print };
}

interface Run {
  readonly list: ResourceList;
  readonly expansion: Expansion;
  readonly findings: readonly Finding[];
  readonly print: boolean;
  readonly isKustomize: boolean;
}

function run({ stdin, platform, findings: earlier, logToStderr }: Call): Run {
  const text = textOf(stdin, undefined);
  const read = typeof text === 'string' ? readResourceList(text) : { value: NO_LIST, findings: [text] };
  const list = read.value;
  const expansion = expand({
    items: list.items,
    platform,
    config: list.functionConfig,
    findings: [...earlier, ...read.findings],
  });
  const findings = [...expansion.findings, ...refuseDrop(expansion)].sort(byImportance);
  const isKustomize = calledByKustomize(list);
  return { list, expansion, findings, print: logToStderr || isKustomize, isKustomize };
}

/** kustomize marks what it sends; kpt names the file of every item. */
function calledByKustomize({ items, functionConfig }: ResourceList): boolean {
  if (items.some((item) => annotation(item.annotations, PATH) !== undefined)) return false;
  const isFunction = annotation(functionConfig?.annotations ?? {}, FUNCTION) !== undefined;
  return isFunction || items.some((item) => item.annotations['kustomize.config.k8s.io/id'] !== undefined);
}
const FUNCTION = ['config.kubernetes.io/function', 'config.k8s.io/function'];

/** In a package of files an input that is not written is a file that is deleted. */
function refuseDrop({ options, kept, configs }: Expansion): Finding[] {
  if (options.inputs !== 'drop' || !kept.some((item) => isInput(item) && item.origin.file !== undefined)) return [];
  const message =
    '`output.inputs: drop` would delete the files of Seats and TrustTiers here; it is for kustomize generators and transformers';
  return [report('INPUTS_ARE_FILES', configs[0], 'spec.output.inputs', message, { value: 'drop', proposed: 'keep' })];
}
