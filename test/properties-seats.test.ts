// What holds for seats beside one another, and for a package that is expanded again.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isError } from '../functions/finding';
import { expandList } from '../functions/krm';
import { PROBED_NAMESPACE } from '../functions/probe/identity';
import { expandAll, expandFiles, filesOf, hold, idOf, objectsOf, type Rendered, textOf } from './expanded';
import { OPTIONS, packages, text } from './generators';
import { type PackageFile, wireItems, wireList, writtenFiles } from './kpt-list';

const isOfSeat = ({ metadata }: Rendered): boolean => metadata.labels[PROBED_NAMESPACE] === undefined;
const isJob = ({ kind }: Rendered): boolean => kind === 'Job';

const sets = suite('seats beside one another');
sets('the generated packages are right', () => {
  hold(
    fc.property(packages, ({ tiers, seats }) => {
      const expansion = expandAll([OPTIONS, ...tiers, ...seats]);
      assert.equal(expansion.findings.filter(isError), []);
      const namespaces = new Set(seats.map(({ metadata }) => metadata.namespace));
      assert.is(objectsOf(expansion).filter(isOfSeat).length, 5 * seats.length);
      assert.is(objectsOf(expansion).filter(isJob).length, namespaces.size);
    }),
  );
});
sets('the order of the input does not matter', () => {
  const shuffled = packages.chain(({ tiers, seats }) => {
    const files = filesOf([OPTIONS, ...tiers, ...seats]);
    return fc.tuple(fc.constant(files), fc.shuffledSubarray(files, { minLength: files.length }));
  });
  hold(
    fc.property(shuffled, ([files, others]) => {
      const [one, other] = [expandFiles(files), expandFiles(others)];
      assert.is(textOf(other), textOf(one));
      assert.equal(
        other.findings.map(({ item: _, ...finding }) => finding),
        one.findings.map(({ item: _, ...finding }) => finding),
      );
    }),
  );
});
sets('a change of one seat moves only its objects and the probe of its namespace', () => {
  const changed = fc.record({
    package: packages,
    which: fc.nat(),
    instructions: text,
    state: fc.constantFrom('Running' as const, 'Stopped' as const),
  });
  hold(
    fc.property(changed, ({ package: { tiers, seats }, which, instructions, state }) => {
      const target = seats[which % seats.length]!;
      const others = seats.filter((seat) => seat !== target);
      const edited = { ...target, spec: { ...target.spec, instructions, state } };
      const isApart = (object: Rendered): boolean =>
        isOfSeat(object) || object.metadata.labels[PROBED_NAMESPACE] !== target.metadata.namespace;
      const all = objectsOf(expandAll([OPTIONS, ...tiers, ...seats]));
      const allAfter = objectsOf(expandAll([OPTIONS, ...tiers, ...others, edited]));
      const [before, after] = [all.filter(isApart), allAfter.filter(isApart)];
      const without = objectsOf(expandAll([OPTIONS, ...tiers, ...others])).filter(isApart);
      const byID = (objects: Rendered[]) => new Map(objects.map((object) => [idOf(object), object]));
      const [old, now] = [byID(before), byID(after)];
      assert.equal([...now.keys()].sort(), [...old.keys()].sort());
      for (const object of without) {
        assert.equal(old.get(idOf(object)), object);
        assert.equal(now.get(idOf(object)), object);
      }
      const jobs = (objects: Rendered[]) => objects.filter((one) => isJob(one) && !isApart(one)).map(idOf);
      const { instructions: text = '', state: was = 'Running' } = target.spec;
      if (text !== instructions || was !== state)
        assert.not.equal(jobs(allAfter), jobs(all), 'the Job has another name');
    }),
  );
});
sets('distinct seats share no name and no selector', () => {
  const matches = (selector: Record<string, string> = {}, labels: Record<string, string> = {}): boolean =>
    Object.entries(selector).every(([key, value]) => labels[key] === value);
  hold(
    fc.property(packages, ({ tiers, seats }) => {
      const objects = objectsOf(expandAll([OPTIONS, ...tiers, ...seats]));
      assert.is(new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).size, objects.length);
      const pods = objects.filter(({ kind }) => kind === 'StatefulSet');
      const labelsOf = (pod: Rendered) => pod.spec?.template?.metadata.labels;
      for (const { spec, metadata, kind } of objects) {
        const selector = spec?.podSelector?.matchLabels ?? spec?.selector?.matchLabels;
        if (!selector) continue;
        const selected = pods.filter((pod) => matches(selector, labelsOf(pod)));
        assert.equal(
          selected.map((pod) => pod.metadata.name),
          [metadata.name],
          `${kind} ${metadata.name}`,
        );
      }
    }),
  );
});
sets('names are DNS labels', () => {
  hold(
    fc.property(packages, ({ tiers, seats }) => {
      for (const { metadata } of objectsOf(expandAll([OPTIONS, ...tiers, ...seats])))
        assert.match(metadata.name, /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
    }),
  );
});
sets.run();

const twice = suite('a second run');
const KPTFILE = { apiVersion: 'kpt.dev/v1', kind: 'Kptfile', metadata: { name: 'package' } };
const asPackage = (objects: readonly object[]): PackageFile[] =>
  [KPTFILE, ...objects].map((object, n) => ({
    path: n === 0 ? 'Kptfile' : `${n}.yaml`,
    packagePath: '/package',
    documents: [JSON.stringify(object)],
  }));
const runOn = (files: readonly PackageFile[]): PackageFile[] => {
  const list = wireList(wireItems(files), undefined);
  const { output, findings } = expandList({
    stdin: Buffer.from(list),
    platform: undefined,
    findings: [],
    logToStderr: false,
  });
  assert.equal(
    findings.filter(isError).map(({ code, message }) => `${code} ${message}`),
    [],
  );
  return writtenFiles([...output].join(''));
};
twice('changes nothing, and after seats came and went the package is as if it had been so from the start', () => {
  const pairs = fc.tuple(packages, fc.nat(), fc.nat());
  hold(
    fc.property(pairs, ([{ tiers: declared, seats }, from, to]) => {
      const first = seats.slice(from % seats.length);
      const then = seats.slice(0, 1 + (to % seats.length));
      const rendered = runOn(asPackage([OPTIONS, ...declared, ...first]));
      assert.equal(runOn(rendered), rendered);
      const generated = rendered.filter(({ path }) => path.startsWith('generated/'));
      const moved = runOn([...asPackage([OPTIONS, ...declared, ...then]), ...generated]);
      const fresh = runOn(asPackage([OPTIONS, ...declared, ...then]));
      const names = new Set(fresh.map(({ path }) => path));
      assert.equal(
        moved.filter(({ path }) => names.has(path)),
        fresh,
      );
      // What is left beside them are the workspaces of seats that are gone.
      for (const { documents } of moved.filter(({ path }) => !names.has(path)))
        assert.ok(documents.every((one) => /^kind: "?PersistentVolumeClaim/m.test(one)));
    }),
    20,
  );
});
twice.run();
