// Bundles each entry point with all it needs into one file of dist/: what images copy and what `seatplan` runs.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ENTRY_POINTS = ['cli', 'cli/status-cluster', 'expand-seats', 'validate-seats', 'kpt-function', 'probe-agent'];

/** The command line loads the part that talks to a cluster only when asked for it: the Kubernetes client is large. */
const apart: Plugin = {
  name: 'apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/status-cluster$/ }, () => ({ path: './status-cluster.js', external: true }));
  },
};

async function bundle(): Promise<void> {
  rmSync('dist', { recursive: true, force: true });
  const { outputFiles } = await build({
    entryPoints: ENTRY_POINTS.map((name) => `functions/${name}.ts`),
    outdir: 'dist',
    entryNames: '[name]',
    plugins: [apart],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'inline',
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, inASCII(text));
    chmodSync(path, 0o755);
  }
}

/** One other letter doubles the memory of the source and slows its start; esbuild leaves those in regular expressions. */
const inASCII = (code: string): string =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

void bundle();
