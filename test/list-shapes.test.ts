import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { report } from '../functions/finding';
import { decode } from '../functions/stages/read/decode';
import { readFiles } from '../functions/stages/read/files';
import { readResourceList } from '../functions/stages/read/resource-list';
import { echo } from '../functions/stages/write/resource-list';

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';
const finding = report('CIDR_MASKED', undefined, '', 'later');
const written = (text: string, findings = [finding]): string => {
  const read = readResourceList(text);
  assert.equal(read.findings, []);
  return [...echo(read.value, findings)].join('');
};

const bytes = suite('lists in an odd shape leave as they came');
const UNCHANGED: Record<string, string> = {
  'comments between `items` and its first dash': `${HEAD}items: # all\n# of them\n\n- kind: A\n`,
  'a dash on a line of its own': `${HEAD}items:\n-\n  # why\n  kind: A\n  x: 0444 # four\n# tail\n-\n  kind: B\n`,
