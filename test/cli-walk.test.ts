// Which files of a folder are read: as kpt, honouring .krmignore, never outside of the folder, nothing twice.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../functions/cli/shell';
import { listFiles, readResourceFiles } from '../functions/cli/walk';

interface Tree {
  /** Files by path; a text that starts with `->` is a link. */
  readonly files: Readonly<Record<string, string>>;
  readonly reads: readonly string[];
}

const trees: Record<string, Tree> = {
  'YAML and JSON files at any depth are read, sorted by code unit': {
    files: { 'b.yaml': '', 'a/z.yml': '', 'a/b/c.json': '', 'B.yaml': '', 'a.txt': '', 'C.YAML': '', 'a-b.yaml': '' },
    reads: ['B.yaml', 'a-b.yaml', 'a/b/c.json', 'a/z.yml', 'b.yaml'],
  },
  'a Kptfile is read, a kustomization and the .git folder are not': {
    files: { Kptfile: '', 'kustomization.yaml': '', 'x/kustomization.yml': '', '.git/config.yaml': '', 'a.yaml': '' },
    reads: ['Kptfile', 'a.yaml'],
  },
  'a .krmignore excludes files and folders below it': {
    files: {
      '.krmignore': '# comment\n*.tmp.yaml\n/skip\nchart/\n',
      'a.tmp.yaml': '',
      'x/b.tmp.yaml': '',
      'skip/a.yaml': '',
      'x/skip/a.yaml': '',
      'chart/a.yaml': '',
      'x/chart/a.yaml': '',
    },
    reads: ['x/skip/a.yaml'],
  },
  'a .krmignore further in decides over one further out': {
    files: {
      '.krmignore': '*.yaml\n!keep.yaml\n',
      'a.yaml': '',
      'keep.yaml': '',
      'x/.krmignore': '!a.yaml\nkeep.yaml\n',
      'x/a.yaml': '',
      'x/keep.yaml': '',
      'x/b.yaml': '',
    },
    reads: ['keep.yaml', 'x/a.yaml'],
  },
  'nothing below an excluded folder comes back': {
    files: { '.krmignore': 'x/\n', 'x/.krmignore': '!*\n', 'x/a.yaml': '', 'b.yaml': '' },
    reads: ['b.yaml'],
  },
  'case counts in a .krmignore, CRLF and a byte order mark do not': {
    files: { '.krmignore': '\ufeffa.yaml\r\nc.yaml\r\n', 'a.yaml': '', 'A.yaml': '', 'c.yaml': '' },
    reads: ['A.yaml'],
  },
  'a link to a file of the folder is read once, under its own name': {
    files: { 'a.yaml': '', 'b.yaml': '->a.yaml', 'c/d.yaml': '->../a.yaml' },
    reads: ['a.yaml'],
  },
  'a link to a file with another ending is read': {
    files: { 'a.yaml': '->seats.txt', 'seats.txt': '' },
    reads: ['a.yaml'],
  },
  'links in a circle end': {
    files: { 'x/a.yaml': '', 'x/up': '->..', 'x/self': '->.', y: '->x' },
    reads: ['x/a.yaml'],
  },
  'a link to an excluded folder is followed': {
    files: { '.krmignore': '/real\n', 'real/a.yaml': '', link: '->real' },
    reads: ['link/a.yaml'],
  },
  'a mounted ConfigMap is read once': {
    files: { '..2024_01/tier.yaml': '', '..data': '->..2024_01', 'tier.yaml': '->..data/tier.yaml' },
    reads: ['tier.yaml'],
  },
  'a broken link and a link outside are nothing when no resource is named so': {
    files: { broken: '->gone', 'a.yaml': '', bin: '->/bin/sh' },
    reads: ['a.yaml'],
  },
  'a broken or leaving link that is excluded is nothing': {
    files: { '.krmignore': 'broken.yaml\n/out\n', 'broken.yaml': '->gone', out: '->/etc', 'a.yaml': '' },
    reads: ['a.yaml'],
  },
  'an earlier output is no input': {
    files: { 'a.yaml': '', 'out/.seatplan-output': '', 'out/b.yaml': '' },
    reads: ['a.yaml'],
  },
};

const refused: Record<string, Readonly<Record<string, string>>> = {
  'a broken link with the name of a resource': { 'a.yaml': '->gone' },
  'a link that leaves the folder': { 'a.yaml': '->/etc/hostname' },
  'a link to a folder outside': { etc: '->/etc' },
};

const build = (files: Tree['files']): string => {
  const root = mkdtempSync(join(tmpdir(), 'seatplan-walk-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text.startsWith('->')) symlinkSync(text.slice(2), join(root, path));
    else writeFileSync(join(root, path), text);
  }
  return root;
};

function inFolder(files: Tree['files'], check: (root: string) => void): void {
  const root = build(files);
  try {
    check(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const walk = suite('walk');
for (const [sentence, { files, reads }] of Object.entries(trees)) {
  walk(sentence, () => inFolder(files, (root) => assert.equal(listFiles(root).paths, reads)));
}
for (const [sentence, files] of Object.entries(refused)) {
  walk(`${sentence} is refused by name`, () =>
    inFolder(files, (root) =>
      assert.throws(
        () => listFiles(root),
        (error: Error) => error instanceof Refusal && error.message.includes(root),
      ),
    ),
  );
}
walk('a folder itself may be an earlier output', () =>
  inFolder({ '.seatplan-output': '', 'b.yaml': '' }, (root) => assert.equal(listFiles(root).paths, ['b.yaml'])),
);
walk("kustomize's own files are listed apart", () =>
  inFolder(
    {
      '.krmignore': 'skip\n',
      Kustomization: '',
      'x/kustomization.yml': '',
      'y/kustomization.yaml': '->../a.txt',
      'skip/kustomization.yaml': '',
      'a.txt': '',
      'b.yaml': '',
    },
    (root) =>
      assert.equal(listFiles(root), {
        paths: ['b.yaml'],
        kustomizations: ['Kustomization', 'x/kustomization.yml', 'y/kustomization.yaml'],
      }),
  ),
);
walk('one file is read whatever its name', () =>
  inFolder({ 'seats.txt': 'kind: Seat' }, (root) => {
    const { folder, files } = readResourceFiles(join(root, 'seats.txt'));
    assert.is(folder, root);
    assert.equal(
      files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
      [['seats.txt', 'kind: Seat']],
    );
  }),
);
walk('what is not there is refused by name', () =>
  assert.throws(
    () => readResourceFiles('/nowhere/at all'),
    (error: Error) => error instanceof Refusal && error.message.includes('/nowhere/at all'),
  ),
);
walk.run();
