import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LARGEST_INPUT } from '../functions/stages/read/encoding';
import { readFiles } from '../functions/stages/read/files';

const codes = (sizes: readonly number[]): string[] =>
  readFiles(
    // Only the length counts.
    sizes.map((length, n) => ({ path: `${n}.yaml`, bytes: { length } as Uint8Array })),
    'package',
  ).findings.map(({ code }) => code);

const size = suite('input beyond any package is refused unread');
size('one file', () => assert.equal(codes([LARGEST_INPUT + 1]), ['INPUT_TOO_LARGE']));
size('many files', () => {
  const bytes = Buffer.from('kind: A\napiVersion: v1\n');
  const { findings } = readFiles(
    [
      { path: 'a.yaml', bytes },
      { path: 'b.yaml', bytes: { length: LARGEST_INPUT } as Uint8Array },
    ],
    'package',
  );
  assert.equal(
    findings.map(({ code, file }) => [code, file]),
    [['INPUT_TOO_LARGE', 'b.yaml']],
  );
});
size.run();
