// What keeps task workers, seats and probes apart, whatever their organisations, keys and names: policies only ever add up.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isError } from '../functions/finding';
import { COMPONENT, podLabels, policySelector, runnerSelector, taskLabels, taskSelector } from '../functions/labels';
import { shortDigest, taskLabel, taskName } from '../functions/names';
import { expandAll, hold, idOf, objectsOf, type Rendered } from './expanded';
import { OPTIONS, packagesWithTasks } from './generators';

type Labels = Readonly<Record<string, string>>;

const selects = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

const apart = suite('task workers beside seats');
apart('the generated packages are right', () => {
  hold(
    fc.property(packagesWithTasks, ({ tiers, seats, tasks }) => {
      const expansion = expandAll([OPTIONS, ...tiers, ...seats, ...tasks]);
      assert.equal(expansion.findings.filter(isError), []);
      const workers = objectsOf(expansion).filter(({ kind }) => kind === 'Pod');
      assert.is(workers.length, tasks.length);
    }),
  );
});

/** The pods that come of rendered objects, and the names of the policies that may select them. */
const podsIn = (objects: readonly Rendered[]): { labels: Labels; policy: string }[] =>
  objects.flatMap(({ kind, metadata, spec }) => {
    const labels = kind === 'Pod' ? metadata.labels : spec?.template?.metadata.labels;
    if ((kind !== 'Pod' && kind !== 'StatefulSet') || !labels) return [];
    return [{ labels, policy: `${metadata.namespace}/NetworkPolicy/${metadata.name}` }];
  });

apart('every policy selects the pod of its own name and no other, in any namespace', () => {
  hold(
    fc.property(packagesWithTasks, ({ tiers, seats, tasks }) => {
      const objects = objectsOf(expandAll([OPTIONS, ...tiers, ...seats, ...tasks]));
      const pods = podsIn(objects);
      const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
      assert.is(policies.length, pods.length);
      for (const policy of policies) {
        const selected = pods.filter(({ labels }) => selects(policy.spec?.podSelector?.matchLabels ?? {}, labels));
        assert.equal(
          selected.map((pod) => pod.policy),
          [idOf(policy)],
        );
      }
    }),
  );
});
apart('an earlier spec of a run opens nothing for a later one, and shares no object with it', () => {
  hold(
    fc.property(packagesWithTasks, ({ tiers, seats, tasks }) => {
      const edited = tasks.map((task) => ({ ...task, spec: { ...task.spec, ttl: '42m' } }));
      const [before, after] = [tasks, edited].map((runs) =>
        objectsOf(expandAll([OPTIONS, ...tiers, ...seats, ...runs])).filter(({ metadata }) =>
          metadata.name.startsWith('task-'),
        ),
      );
      const [old, now] = [before!, after!];
      const names = new Set(old.map(idOf));
      assert.equal(
        now.map(idOf).filter((id) => names.has(id)),
        [],
      );
      for (const { kind, spec } of old)
        for (const { labels } of kind === 'NetworkPolicy' ? podsIn(now) : [])
          assert.not.ok(selects(spec?.podSelector?.matchLabels ?? {}, labels));
    }),
  );
});
apart('names are DNS labels, and labels are label values', () => {
  hold(
    fc.property(packagesWithTasks, ({ tiers, seats, tasks }) => {
      for (const { metadata } of objectsOf(expandAll([OPTIONS, ...tiers, ...seats, ...tasks]))) {
        assert.match(metadata.name, /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
        for (const value of Object.values(metadata.labels))
          assert.match(value, /^(?=.{0,63}$)([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/);
      }
    }),
  );
});
apart.run();

// ---------------------------------------------------------------- all that a key and a name can be
const key = fc.stringMatching(/^[a-z]([a-z0-9_-]{0,61}[a-z0-9])?$/);
const run = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?){0,3}$/);
const near = fc.constantFrom('a', 'b', 'a-b', 'a_b', 'a-b-a');
const identity = fc.record({
  organization: fc.oneof(near, key),
  parent: fc.oneof(near, key),
  run: fc.oneof(fc.constantFrom('a', 'a.b', 'a-b', 'a-b.a', 'b.a'), run),
  spec: fc.nat(3),
});
type Identity = typeof identity extends fc.Arbitrary<infer T> ? T : never;

const labelsOf = ({ organization, parent, run: name, spec }: Identity) => {
  const digest = shortDigest(`sha256:${String(spec).repeat(64)}`);
  const source = { organization, key: parent, tier: undefined, digest };
  return { ...source, label: taskLabel({ organization, parent, run: name }), name };
};
const same = (a: Identity, b: Identity): boolean =>
  a.organization === b.organization && a.parent === b.parent && a.run === b.run && a.spec === b.spec;

const any = suite('any keys and names');
any('no selector of a seat meets a worker, and none of a worker a seat or its probe pods', () => {
  hold(
    fc.property(identity, identity, (one, other) => {
      const seat = { organization: one.organization, key: one.parent, tier: undefined };
      const worker = labelsOf(other);
      const probe = { ...podLabels(seat), 'steadmesh.io/probe': 'netpol' };
      assert.not.ok(selects(policySelector(seat), taskLabels(worker)));
      assert.not.ok(selects(runnerSelector(seat), taskLabels(worker)));
      assert.not.ok(selects(taskSelector(worker), podLabels(seat)));
      assert.not.ok(selects(taskSelector(worker), probe));
    }),
    1000,
  );
});
any('a seat whose key is the label of a worker is still no worker', () => {
  hold(
    fc.property(identity, (one) => {
      const worker = labelsOf(one);
      const impostor = { organization: one.organization, key: worker.label, tier: undefined };
      assert.match(worker.label, '.'); // and no key can hold it
      assert.not.ok(selects(taskSelector(worker), podLabels(impostor)));
      assert.not.ok(selects(policySelector(impostor), taskLabels(worker)));
    }),
  );
});
any('a worker is met by its own selector and by that of no other run, parent, organisation or spec', () => {
  hold(
    fc.property(identity, identity, (one, other) => {
      const [mine, others] = [labelsOf(one), labelsOf(other)];
      assert.ok(selects(taskSelector(mine), taskLabels(mine)));
      assert.is(selects(taskSelector(others), taskLabels(mine)), same(one, other));
      const [name, otherName] = [one, other].map((id) => taskName(id, labelsOf(id).digest));
      assert.is(name === otherName, same(one, other));
    }),
    1000,
  );
});
any('what denies all to the seats of a namespace denies it to their workers', () => {
  const denied = { [COMPONENT]: podLabels({ organization: 'a', key: 'b', tier: undefined })[COMPONENT]! };
  hold(fc.property(identity, (one) => assert.ok(selects(denied, taskLabels(labelsOf(one))))));
});
any('the longest label has 63 characters, and the longest name leaves room for the ConfigMap', () => {
  const longest = { organization: 'o'.repeat(63), parent: 'p'.repeat(63), run: 'r'.repeat(253) };
  assert.is(taskLabel(longest).length, 63);
  assert.is(`${taskName(longest, 'd'.repeat(8))}-manifest`.length, 63);
});
any.run();
