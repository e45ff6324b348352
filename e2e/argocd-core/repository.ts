// The Git repository that Argo CD reads: a folder of this machine, one commit for each change.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { must } from '../command';

export interface Repository {
  readonly url: string;
  readonly folder: string;
  /** Path to text; undefined removes the file. Returns the commit. */
  commit(files: Readonly<Record<string, string | undefined>>): string;
  remove(): void;
}

export function makeRepository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-git-'));
  const git = (...words: string[]): string =>
    must(['git', '-c', 'user.name=test', '-c', 'user.email=test@example.com', ...words], { cwd: folder });
  git('init', '--quiet', '--initial-branch', 'main');
  return {
    url: `file://${folder}`,
    folder,
    commit(files) {
      for (const [path, text] of Object.entries(files)) {
        const file = join(folder, path);
        if (text === undefined) {
          rmSync(file, { recursive: true });
          continue;
        }
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
      git('add', '--all');
      git('commit', '--quiet', '--message', Object.keys(files).join(' '));
      return git('rev-parse', 'HEAD').trim();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
