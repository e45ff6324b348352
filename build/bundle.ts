// Bundles each entry point with all it needs into one file of dist/: what images copy and what `seatplan` runs.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ENTRY_POINTS = [
  'cli',
  'cli/status-cluster',
  'expand-seats',
  'validate-seats',
  'kpt-function',
  'probe-agent',
  'probe-seats',
];

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
  writeFileSync('dist/probe-folder.tar', probeFolder());
}

/**
 * The folder /probe of mode 1777 as a tar of one header (POSIX ustar): `ADD` keeps the mode with every builder, `COPY` and
 * its options do not.
 */
function probeFolder(): Buffer {
  const header = Buffer.alloc(512);
  const put = (text: string, at: number): number => header.write(text, at, 'latin1');
  put('probe/', 0);
  put('0001777\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put('00000000000\0', 124);
  put('00000000000\0', 136);
  put('        ', 148); // the checksum counts as spaces
  put('5', 156);
  put('ustar\0', 257);
  put('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.alloc(1024)]);
}

/** One other letter doubles the memory of the source and slows its start; esbuild leaves those in regular expressions. */
const inASCII = (code: string): string =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

void bundle();
