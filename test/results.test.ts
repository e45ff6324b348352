import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { report } from '../functions/finding';
import { toResult } from '../functions/stages/write/results';

const HOSTILE = 'a\n::error::b\u001b[31m\u202e';
const item = {
  text: '',
  origin: { line: 0, column: 1 },
  apiVersion: 'v1',
  kind: 'Seat',
  name: HOSTILE,
  namespace: HOSTILE,
  annotations: {},
  level: 'package',
} as const;

const results = suite('results');
results('hold nothing that kpt would print as a control character', () => {
  const result = toResult(report('UNKNOWN_FIELD', item, `spec.${HOSTILE}`, HOSTILE, { value: HOSTILE })) as {
    message: string;
    resourceRef: object;
    field: { path: string; currentValue: string };
  };
  const shown = [result.message, ...Object.values(result.resourceRef), result.field.path].join('');
  assert.not.match(shown, /[\p{Cc}\p{Cf}]/u);
  assert.is(result.field.currentValue, HOSTILE, 'a program may want to compare the value');
});
results('say of which kind they are', () => {
  const { tags } = toResult(report('OPTION_NOT_AVAILABLE', item, 'spec.keeper', 'm')) as { tags: object };
  assert.equal(tags, {
    'seatplan.dev/code': 'OPTION_NOT_AVAILABLE',
    'seatplan.dev/kind': 'Unsupported',
    'seatplan.dev/source': 'rule',
  });
});
results.run();
