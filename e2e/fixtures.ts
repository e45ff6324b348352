// The packages in fixtures/: what is expected of each, and a copy of one that kpt takes for a package.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { must } from './command';
import { filesBelow } from './objects';

const CLI = resolve(__dirname, '../dist/cli.js');
const FIXTURES = resolve(__dirname, '../fixtures');

export interface Result {
  readonly message: string;
  readonly severity?: string;
  readonly resourceRef?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly field?: { readonly path?: string };
  readonly tags?: Readonly<Record<string, string>>;
}

export interface Fixture {
  readonly name: string;
  readonly folder: string;
  /** The platform level, where the case has one. */
  readonly platform: string | undefined;
  /** Findings of the embedded runner, as KRM results. */
  readonly results: readonly Result[];
  /** No finding of severity error: the package renders. */
  readonly valid: boolean;
}

const isError = ({ severity = 'error' }: Result): boolean => severity === 'error';

/** All cases, in order of their names. */
export const fixtures = (): Fixture[] =>
  readdirSync(FIXTURES)
    .sort()
    .map((name) => {
      const folder = join(FIXTURES, name);
      const file = join(folder, '.expected/results.yaml');
      const results: Result[] = existsSync(file) ? (parse(readFileSync(file, 'utf8')) ?? []) : [];
      const platform = join(folder, '.platform');
      return {
        name,
        folder,
        platform: existsSync(platform) ? platform : undefined,
        results,
        valid: !results.some(isError),
      };
    });

/** Codes of the errors, each once, sorted. */
export const errorCodes = (results: readonly Result[]): string[] =>
  [...new Set(results.filter(isError).map(({ tags }) => tags?.['seatplan.dev/code'] ?? ''))].sort();

/** What the embedded runner renders of a folder, as it prints it. */
export const render = (folder: string, { platform }: Pick<Fixture, 'platform'> = { platform: undefined }): string =>
  must([process.execPath, CLI, 'render', ...(platform ? ['--platform', platform] : []), folder]);

/** Gives a copy of the fixture as a kpt package to `use`, and removes it afterwards. */
export function withCopy<T>({ name, folder }: Fixture, use: (copy: string) => T): T {
  const parent = mkdtempSync(join(tmpdir(), 'seatplan-fixture-'));
  const copy = join(parent, name);
  try {
    cpSync(folder, copy, { recursive: true, filter: (source) => !/\/\.(expected|platform)$/.test(source) });
    for (const file of filesBelow(copy).filter((path) => path.endsWith('Kptfile.fixture'))) {
      renameSync(join(copy, file), join(copy, file.replace(/\.fixture$/, '')));
    }
    return use(copy);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
