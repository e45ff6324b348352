// `dir=PATH`: what it makes, replaces, mends and leaves alone.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OUTPUT_MARKER } from '../functions/cli/output-tree';
import { Refusal } from '../functions/cli/shell';
import { inFolder, NEW, OLD, read, same, write } from './output-trees';

const output = suite('output directory');
output('is made where nothing was, with its parents, as a link to a version beside it', () =>
  inFolder((root) => {
    const path = join(root, 'x/y/out');
    write(path, OLD);
    assert.ok(same(read(path), OLD));
    assert.ok(lstatSync(path).isSymbolicLink());
    assert.equal(readdirSync(join(root, 'x/y')).sort(), [readlinkSync(path), 'out']);
  }),
);
output('is replaced as a whole, and the old version goes', () =>
  inFolder((root) => {
    const path = join(root, 'out');
    write(path, OLD);
    write(path, NEW);
    assert.ok(same(read(path), NEW));
    assert.is(readdirSync(root).length, 2);
  }),
);
output('does not change when its content does not', () =>
  inFolder((root) => {
    const path = join(root, 'out');
    write(path, OLD);
    const before = [readlinkSync(path), lstatSync(path).ino, lstatSync(join(path, 'gone.yaml')).mtimeMs];
    write(path, OLD, { processID: 1, isRunning: () => false });
    assert.equal([readlinkSync(path), lstatSync(path).ino, lstatSync(join(path, 'gone.yaml')).mtimeMs], before);
  }),
);
output('is mended when a file of it was edited or deleted', () =>
  inFolder((root) => {
    const path = join(root, 'out');
    write(path, OLD);
    writeFileSync(join(path, 'gone.yaml'), 'edited');
    rmSync(join(path, 'seats/a.yaml'));
    write(path, OLD);
    assert.ok(same(read(path), OLD));
    assert.is(readdirSync(root).length, 2);
  }),
);
output('may be nothing at all', () =>
  inFolder((root) => {
    write(join(root, 'out'), OLD);
    write(join(root, 'out'), {});
    assert.equal(read(join(root, 'out')), {});
  }),
);
output('stays a real folder where the user made one', () =>
  inFolder((root) => {
    const path = join(root, 'out');
    mkdirSync(path);
    write(path, OLD);
    write(path, NEW);
    assert.ok(lstatSync(path).isDirectory());
    assert.ok(same(read(path), NEW));
    assert.equal(readdirSync(root), ['out']);
  }),
);
output('is made anew where its version was deleted', () =>
  inFolder((root) => {
    const path = join(root, 'out');
    write(path, OLD);
    rmSync(join(root, readlinkSync(path)), { recursive: true });
    write(path, OLD);
    assert.ok(same(read(path), OLD));
  }),
);
output('leaves what a running process prepares, and removes what an ended one left', () =>
  inFolder((root) => {
    const path = join(root, 'out');
    const [running, ended, foreign] = ['.out.0123456789abcdef.4-0', '.out.0123456789abcdef.5-0', '.out.backup.6'];
    for (const name of [running, ended, foreign]) mkdirSync(join(root, name));
    symlinkSync('nowhere', join(root, '.out.link.5'));
    write(path, OLD, { processID: 9, isRunning: (id) => id === 4 });
    assert.equal(readdirSync(root).sort(), [running, foreign, readlinkSync(path), 'out'].sort());
  }),
);

const refusals: Record<string, (path: string) => void> = {
  'a file': (path) => writeFileSync(path, 'mine'),
  'a folder with files of others': (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'mine.yaml'), 'mine');
  },
  'a link of others': (path) => {
    mkdirSync(`${path}-real`);
    symlinkSync('out-real', path);
  },
  'a folder of ours into which the user put a file': (path) => {
    mkdirSync(path);
    write(path, OLD);
    writeFileSync(join(path, 'seats/mine.yaml'), 'mine');
  },
  'a version of ours into which the user put a file': (path) => {
    write(path, OLD);
    writeFileSync(join(path, 'seats/mine.yaml'), 'mine');
  },
};
for (const [sentence, prepare] of Object.entries(refusals)) {
  output(`does not take the place of ${sentence}`, () =>
    inFolder((root) => {
      const path = join(root, 'out');
      prepare(path);
      const list = () => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
      const before = list();
      assert.throws(
        () => write(path, NEW),
        (error: Error) => error instanceof Refusal && error.message.includes(path),
      );
      assert.equal(list(), before);
    }),
  );
}
for (const bad of ['../x.yaml', '/x.yaml', '.', 'a/../../x.yaml', OUTPUT_MARKER, 'a\nb.yaml', 'a\0b.yaml', '']) {
  output(`refuses a file at ${JSON.stringify(bad)}`, () =>
    inFolder((root) => {
      assert.throws(
        () => write(join(root, 'out'), { ...NEW, [bad]: 'x' }),
        (error: Error) => error instanceof Refusal,
      );
      assert.equal(readdirSync(root), []);
    }),
  );
}
output('refuses two files at one path, and a file that is also a folder', () =>
  inFolder((root) => {
    for (const tree of [
      { 'a.yaml': '', './a.yaml': '' },
      { a: '', 'a/b.yaml': '' },
    ]) {
      assert.throws(
        () => write(join(root, 'out'), tree),
        (error: Error) => error instanceof Refusal,
      );
      assert.not.ok(existsSync(join(root, 'out')));
    }
  }),
);
output.run();
