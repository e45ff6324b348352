// The embedded runner as it ships, dist/cli.js: what every other way to run the functions is compared with.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Fixture, functionConfig, inputConfigMap } from '../test/fixtures';
import { must } from './command';
import { type Manifest, readStream, renderedByIdentity } from './objects';

const CLI = resolve(__dirname, '../dist/cli.js');

/** The file of the config that the Kptfile of a copied fixture names: what `--config` and `--fn-config` take. */
export function configFile(copy: string): string | undefined {
  const config = functionConfig(copy);
  if (config === undefined) return undefined;
  if ('path' in config) return join(copy, config.path);
  const file = join(copy, '../function-input.json');
  writeFileSync(file, inputConfigMap(config.data));
  return file;
}

/** Objects of ours in what `render` prints of a folder, by identity. */
export function renderEmbedded(
  folder: string,
  { platform }: Partial<Fixture> = {},
  ...more: readonly string[]
): Record<string, Manifest> {
  const config = configFile(folder);
  const flags = [...(platform ? ['--platform', platform] : []), ...(config ? ['--config', config] : []), ...more];
  return renderedByIdentity(readStream(must([process.execPath, CLI, 'render', '--allow-empty', ...flags, folder])));
}
