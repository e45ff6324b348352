// Bundles each entry point with all it needs into one file of dist/: what images copy and what `seatplan` runs.
import { chmodSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const ENTRY_POINTS = ['cli', 'expand-seats', 'validate-seats', 'kpt-function'];

async function bundle(): Promise<void> {
  rmSync('dist', { recursive: true, force: true });
  await build({
    entryPoints: ENTRY_POINTS.map((name) => `functions/${name}.ts`),
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'inline',
    logLevel: 'warning',
  });
  for (const name of ENTRY_POINTS) chmodSync(`dist/${name}.js`, 0o755);
}

void bundle();
