// What holds whatever comes in: nothing throws, and with an error nothing is rendered.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isError } from '../functions/finding';
import { expandList } from '../functions/krm';
import { expandFiles, filesOf, hold, isRefused } from './expanded';
import { OPTIONS, seatOf, TIERS, taskOf, text } from './generators';

const WRITER = seatOf('writer', 'team-a', {
  organization: 'acme',
  key: 'writer',
  tierRef: { name: 'gateway' },
  harness: { adapter: 'claude-code', image: `agent@sha256:${'0'.repeat(64)}` },
});

const anything = suite('whatever comes in');
const survives = (files: readonly { path: string; bytes: Uint8Array }[]): void => {
  const expansion = expandFiles(files);
  const rendered = [...expansion.render()];
  if (isRefused(expansion)) assert.equal(rendered, []);
  else assert.ok(expansion.seats.length > 0 || rendered.length === 0);
};
anything(
  'arbitrary JSON in a Seat, a TaskRun, a TrustTier or a config never throws, and an error renders nothing',
  () => {
    const kinds = fc.constantFrom(
      TIERS[0]!,
      seatOf('a', 'team-a', { organization: 'acme', harness: { adapter: 'claude-code' } }),
      taskOf('fix', 'team-a', { seatRef: { name: 'writer' } }),
      OPTIONS,
    );
    const objects = fc.tuple(kinds, fc.jsonValue(), fc.constantFrom('spec', 'metadata', 'all', 'field'), fc.string());
    hold(
      fc.property(objects, ([object, value, where, field]) => {
        const broken =
          where === 'all'
            ? value
            : where === 'field'
              ? { ...object, spec: { ...object.spec, [field]: value } }
              : { ...object, [where]: value };
        survives(filesOf([broken, WRITER, ...TIERS]));
      }),
      300,
    );
  },
);
anything('arbitrary text and bytes never throw', () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    text.map((one) => Buffer.from(one)),
    text.map((one) => Buffer.from(`apiVersion: steadmesh.io/v1alpha1\nkind: Seat\nmetadata:\n  name: a\n${one}`)),
  );
  hold(
    fc.property(bytes, (one) => survives([{ path: 'a.yaml', bytes: one }])),
    300,
  );
});
anything('a text that somebody damaged never throws, as a file and in a list', () => {
  const seat = `apiVersion: steadmesh.io/v1alpha1\nkind: Seat\nmetadata:\n  name: engineer\n  namespace: team-a\nspec:\n  organization: acme\n  tierRef: {name: gateway}\n  harness:\n    adapter: a\n    image: "agent@sha256:${'0'.repeat(64)}"\n  instructions: |\n    Hello\n`;
  const damage = fc.record({ at: fc.nat(seat.length), length: fc.nat(20), put: text });
  hold(
    fc.property(damage, ({ at, length, put }) => {
      const damaged = `${seat.slice(0, at)}${put}${seat.slice(at + length)}`;
      survives([...filesOf(TIERS), { path: 'seat.yaml', bytes: Buffer.from(damaged) }]);
      const list = `kind: ResourceList\nitems:\n- ${damaged.replaceAll('\n', '\n  ').trimEnd()}\n`;
      const { output, findings } = expandList({
        stdin: Buffer.from(list),
        platform: undefined,
        findings: [],
        logToStderr: false,
      });
      const answer = [...output].join('');
      assert.match(answer, 'ResourceList');
      if (findings.some(isError)) assert.not.match(answer, 'kind: StatefulSet');
    }),
    300,
  );
});
anything.run();
