// `dir=PATH` holds a whole tree at every moment: a child process is killed before each of its steps, one after the other.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, read, same, type Tree, write } from './output-trees';

/** Small, since every step on disk costs a process. */
const OLD: Tree = { 'a.yaml': 'a: 1\n', 'gone/b.yaml': 'b: 1\n' };
const NEW: Tree = { 'a.yaml': 'a: 2\n', 'new/c.yaml': 'c: 2\n' };

/** Runs `writeOutputDirectory` in a child that kills itself before its nth step that touches the disk. */
const CHILD = `
const fs = require('node:fs');
let left = Number(process.argv[4]);
for (const step of ['mkdirSync', 'openSync', 'writeSync', 'fsyncSync', 'symlinkSync', 'renameSync', 'rmSync']) {
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
