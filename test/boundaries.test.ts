// Imports point one way, libraries stay where they are known, only entry points do I/O, and files stay small.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const FUNCTIONS = resolve(__dirname, '../functions');
const LONGEST = 220;

interface Source {
  /** Below functions/, without `.ts`. */
  readonly name: string;
  readonly text: string;
  /** Everything that is imported, types too, and required. */
  readonly imports: readonly string[];
}

const IMPORT = /(?:\bfrom\s+|\brequire\(\s*|\bimport\(\s*)'([^']+)'/g;
const SOURCES: readonly Source[] = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(FUNCTIONS, path), 'utf8');
    return { name: path.slice(0, -3), text, imports: [...text.matchAll(IMPORT)].map(([, target]) => target!) };
  });

/** From the ground up. A file may import its own area and those that its area names. The first pattern that fits decides. */
const AREAS: readonly { readonly area: string; readonly files: RegExp; readonly uses: readonly string[] }[] = [
  { area: 'model', files: /^(?:model|model\/.*|finding)$/, uses: [] },
  { area: 'kubernetes', files: /^kubernetes\//, uses: ['model'] },
  { area: 'read', files: /^stages\/read\//, uses: ['model', 'words', 'kubernetes'] },
  { area: 'schema', files: /^stages\/schema\//, uses: ['model', 'words', 'kubernetes', 'generated'] },
  { area: 'resolve', files: /^stages\/resolve\//, uses: ['model', 'words', 'kubernetes', 'read'] },
  { area: 'configure', files: /^stages\/configure\//, uses: ['model', 'words', 'kubernetes', 'read', 'resolve'] },
  { area: 'stages', files: /^stages\/\w+$/, uses: ['model', 'words', 'kubernetes', 'read', 'schema'] },
  { area: 'agent', files: /^(?:probe-agent|probe\/agent\/.*)$/, uses: ['model', 'words', 'kubernetes', 'probe'] },
  {
    area: 'prober',
    files: /^(?:probe-seats|probe\/prober\/.*)$/,
    uses: ['model', 'words', 'kubernetes', 'probe'],
  },
  { area: 'probe', files: /^probe\//, uses: ['model', 'words', 'kubernetes', 'resolve'] },
  { area: 'write', files: /^stages\/write\//, uses: ['model', 'words', 'kubernetes', 'read', 'stages'] },
  { area: 'render', files: /^render\//, uses: ['model', 'words', 'kubernetes', 'resolve', 'probe'] },
  { area: 'report', files: /^report\//, uses: ['model', 'words', 'kubernetes'] },
  {
    area: 'pipeline',
    files: /^pipeline$/,
    uses: ['model', 'read', 'schema', 'resolve', 'configure', 'stages', 'write', 'render'],
  },
  {
    area: 'entry',
    files: /^(?:cli|cli\/.*|krm|run-function|expand-seats|validate-seats|kpt-function)$/,
    uses: ['model', 'words', 'kubernetes', 'read', 'resolve', 'stages', 'write', 'report', 'pipeline', 'probe'],
  },
  { area: 'generated', files: /^\.\.\/generated\//, uses: [] },
  { area: 'words', files: /^[\w-]+$/, uses: ['model', 'kubernetes'] },
];
const areaOf = (name: string): (typeof AREAS)[number] => {
  const area = AREAS.find(({ files }) => files.test(name));
  if (!area) throw new Error(`functions/${name}.ts belongs to no area`);
  return area;
};

/** Libraries and the areas (or the one file) that may know them. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  yaml: ['read', 'write'],
  'js-yaml': ['read', 'write'],
  ajv: ['schema'],
  '@marcbachmann/cel-js': ['schema'],
  re2js: ['schema'],
  commander: ['entry'],
  ignore: ['entry'],
  'kpt-functions': ['entry'],
};
/** Areas that do I/O. */
const OUTER = ['entry', 'agent', 'prober'];
/** Node's own modules that reach out of the process. */
const HARMLESS = ['node:crypto', 'node:path', 'node:zlib'];
const IMPURE = /\bprocess\.|\bconsole\.|\bDate\.now|\bnew Date\(\)|\bMath\.random|\bperformance\.|\bsetTimeout\(/;

const boundaries = suite('boundaries');
const broken = (found: readonly string[]): void => assert.equal(found, []);

boundaries('imports point one way', () => {
  broken(
    SOURCES.flatMap(({ name, imports }) => {
      const { area, uses } = areaOf(name);
      return imports
        .filter((target) => target.startsWith('.') && !target.endsWith('.json'))
        .map((target) => normalize(join(dirname(name), target)))
        .filter((target) => ![area, ...uses].includes(areaOf(target).area))
        .map((target) => `${name} imports ${target}`);
    }),
  );
});

boundaries('a library is known in its own area only', () => {
  broken(
    SOURCES.flatMap(({ name, imports }) =>
      imports
        .filter((target) => LIBRARIES[target] && !LIBRARIES[target].includes(areaOf(name).area))
        .map((target) => `${name} imports ${target}`),
    ),
  );
});

boundaries('every library has its place', () => {
  const known = new Set([...Object.keys(LIBRARIES), '@kubernetes/client-node']);
  broken(
    SOURCES.flatMap(({ imports }) => imports).filter(
      (target) => !target.startsWith('.') && !target.startsWith('node:') && !known.has(target),
    ),
  );
});

boundaries('Kubernetes types are types only, but where a cluster is talked to', () => {
  broken(
    SOURCES.filter(({ text }) => /^import (?!type\b).*'@kubernetes\/client-node'/m.test(text))
      .map(({ name }) => name)
      .filter((name) => areaOf(name).area !== 'prober' && name !== 'cli/status-cluster'),
  );
});

boundaries('only entry points touch the process, the disk, the clock or chance', () => {
  const pure = SOURCES.filter(({ name }) => !OUTER.includes(areaOf(name).area));
  const reachOut = (target: string): boolean =>
    (target.startsWith('node:') || builtinModules.includes(target)) && !HARMLESS.includes(target);
  broken([
    ...pure.flatMap(({ name, imports }) => imports.filter(reachOut).map((target) => `${name} imports ${target}`)),
    ...pure.filter(({ text }) => IMPURE.test(text)).map(({ name, text }) => `${name}: ${IMPURE.exec(text)?.[0]}`),
  ]);
});

boundaries(`no file is longer than ${LONGEST} lines`, () => {
  const lines = ({ text }: Source): number => text.trimEnd().split('\n').length;
  broken(
    SOURCES.filter((source) => lines(source) > LONGEST).map((source) => `${source.name} has ${lines(source)} lines`),
  );
});

boundaries('every file begins with what it is for, and none is a drawer for anything', () => {
  broken(SOURCES.filter(({ text }) => !/^(?:#!.*\n)?\/\/ /.test(text)).map(({ name }) => name));
  broken(
    SOURCES.filter(({ name }) => /(?:^|[-/])(?:utils?|helpers?|common|misc)(?:$|[-/])/.test(name)).map(
      ({ name }) => name,
    ),
  );
});

boundaries.run();
