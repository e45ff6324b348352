// Objects and their pods as controllers of a cluster left them: recorded.yaml.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Manifest } from '../objects';

export interface Shown {
  readonly object: Manifest;
  readonly pods?: readonly Manifest[];
}

/** By kind and state, in words. */
export const RECORDED: Readonly<Record<string, Shown>> = parse(readFileSync(join(__dirname, 'recorded.yaml'), 'utf8'));
