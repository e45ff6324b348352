// `dir=PATH` holds a whole tree at every moment: a child process is killed before each of its steps, one after the other.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeOutputDirectory } from '../functions/cli/output-directory';
import { OUTPUT_MARKER } from '../functions/cli/output-tree';
import { Refusal } from '../functions/cli/shell';

type Tree = Readonly<Record<string, string>>;
const OLD: Tree = { 'seats/a.yaml': 'a: 1\n', 'seats/b.yaml': 'b: 1\n', 'gone.yaml': 'g: 1\n' };
const NEW: Tree = { 'seats/a.yaml': 'a: 2\n', 'seats/b.yaml': 'b: 1\n', 'fresh/deep/c.yaml': 'c: 2\n' };

const filesOf = (tree: Tree) => Object.entries(tree).map(([path, text]) => ({ path, text }));
const alone = { processID: process.pid, isRunning: (id: number) => id === process.pid };
const write = (path: string, tree: Tree, shell = alone): void => writeOutputDirectory(path, filesOf(tree), shell);

/** What stands at a path: its files without the marker, or undefined. */
function read(path: string): Tree | undefined {
  if (!existsSync(path)) return undefined;
  const names = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => !entry.isDirectory() && entry.name !== OUTPUT_MARKER);
  const pairs = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(pairs.map((file) => [file.slice(path.length + 1), readFileSync(file, 'utf8')]));
}
const same = (a: Tree | undefined, b: Tree): boolean =>
  a !== undefined && JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

async function inFolder(check: (root: string) => void): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'seatplan-dir-'));
  try {
    check(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

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

/** Runs `writeOutputDirectory` in a child that kills itself before its nth step that touches the disk. */
const CHILD = `
const fs = require('node:fs');
let left = Number(process.argv[4]);
for (const step of ['mkdirSync', 'openSync', 'writeSync', 'fsyncSync', 'closeSync', 'symlinkSync', 'renameSync', 'rmSync']) {
  const real = fs[step];
  fs[step] = (...words) => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
    return real(...words);
  };
}
const { writeOutputDirectory } = require('./writer.js');
const files = Object.entries(JSON.parse(process.argv[3])).map(([path, text]) => ({ path, text }));
const isRunning = (id) => id === process.pid;
writeOutputDirectory(process.argv[2], files, { processID: process.pid, isRunning });
`;
const tools = mkdtempSync(join(tmpdir(), 'seatplan-kill-'));
const runChild = (path: string, tree: Tree, steps: number): string | null => {
  const { status, signal, stderr } = spawnSync(process.execPath, [
    join(tools, 'child.js'),
    path,
    JSON.stringify(tree),
    String(steps),
  ]);
  if (status) throw new Error(String(stderr));
  return signal;
};

interface Kill {
  readonly before: (path: string) => void;
  /** What may stand at PATH after a kill; undefined: nothing. */
  readonly allowed: readonly (Tree | undefined)[];
}
const kills: Record<string, Kill> = {
  'the first run shows nothing or the whole tree': { before: () => {}, allowed: [undefined, NEW] },
  'a later run shows the whole old tree or the whole new one': {
    before: (path) => write(path, OLD),
    allowed: [OLD, NEW],
  },
  'a run into an empty folder shows it empty or whole': { before: (path) => void mkdirSync(path), allowed: [{}, NEW] },
  'a run into a real folder shows old or new, or nothing between two renames': {
    before: (path) => {
      mkdirSync(path);
      write(path, OLD);
    },
    allowed: [OLD, NEW, undefined],
  },
};
const kill = suite('a kill at any step');
kill.before(() => {
  buildSync({
    entryPoints: [join(__dirname, '../functions/cli/output-directory.ts')],
    bundle: true,
    platform: 'node',
    outfile: join(tools, 'writer.js'),
  });
  writeFileSync(join(tools, 'child.js'), CHILD);
});
kill.after(() => rmSync(tools, { recursive: true }));
for (const [sentence, { before, allowed }] of Object.entries(kills)) {
  kill(`${sentence}; the next run mends it`, () => {
    const seen = new Set<string>();
    let steps = 0;
    for (let killed = true; killed; steps += 1) {
      inFolder((root) => {
        const path = join(root, 'out');
        before(path);
        killed = runChild(path, NEW, steps) === 'SIGKILL';
        const shown = read(path);
        const match = allowed.find((tree) => (tree ? same(shown, tree) : shown === undefined));
        if (shown !== undefined || !allowed.includes(undefined))
          assert.ok(match, `after ${steps} steps: ${JSON.stringify(shown)}`);
        seen.add(JSON.stringify(match ?? null));
        write(path, NEW);
        assert.ok(same(read(path), NEW), `after ${steps} steps and another run`);
        const version = lstatSync(path).isSymbolicLink() ? [readlinkSync(path)] : [];
        assert.equal(readdirSync(dirname(path)).sort(), [...version, 'out'].sort(), `leftovers after ${steps} steps`);
      });
    }
    assert.ok(steps > 20, `only ${steps} steps were seen`);
    assert.is(seen.size, allowed.length, `some outcome never happened: ${[...seen]}`);
  });
}
kill.run();
