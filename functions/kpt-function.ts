// The same two functions for users of the TypeScript SDK `kpt-functions`, who compose functions of their own with ours.
// Not how our images run: the SDK's own run() drops duplicates and re-types values, so those read and write text.
import type { Configs, KptFunc, KubernetesObject, Result } from 'kpt-functions';
import { type Finding, isError } from './finding';
import type { Item } from './model';
import { expand } from './pipeline';
import { itemOfSlice } from './stages/read/items';
import { placed } from './stages/write/place';
import { toResult } from './stages/write/results';
import { toYAML } from './stages/write/yaml';

/** Expands the Seats among the configs; with an error it leaves them as they are. Findings become results. */
export const expandSeats: KptFunc = Object.assign(
  async (configs: Configs): Promise<void> => {
    const { expansion, objects } = run(configs);
    if (expansion.findings.some(isError)) return;
    const kept = new Set(expansion.kept);
    for (const [item, object] of objects) if (!kept.has(item)) configs.delete(object);
    const { kept: items, predecessors, options } = expansion;
    for (const object of placed({
      kept: items,
      rendered: expansion.render(),
      predecessors,
      directory: options.directory,
    })) {
      configs.insert(object as unknown as KubernetesObject);
    }
  },
  { usage: 'Expands Seats and their TrustTiers into the Kubernetes objects that each seat needs.' },
);

/** Checks the Seats and TrustTiers among the configs and changes nothing. */
export const validateSeats: KptFunc = Object.assign(
  async (configs: Configs): Promise<void> => {
    run(configs);
  },
  { usage: 'Checks Seats and TrustTiers as expandSeats would, and changes nothing.' },
);

function run(configs: Configs): { expansion: ReturnType<typeof expand>; objects: ReadonlyMap<Item, KubernetesObject> } {
  const objects = new Map(configs.getAll().map((object) => [itemOf(object), object]));
  const config = configs.getFunctionConfig();
  const expansion = expand({ items: [...objects.keys()], config: config && itemOf(config) });
  configs.addResults(...expansion.findings.map(toSDKResult));
  return { expansion, objects };
}

const itemOf = (object: KubernetesObject): Item => itemOfSlice({ text: toYAML(object), line: 0, column: 1 });

/** The SDK's type says `warn` where the specification says `warning`; what is printed is what the specification says. */
const toSDKResult = (finding: Finding): Result => toResult(finding) as Result;
