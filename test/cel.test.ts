// The rules of the CRDs: what they may call, and that what they call means here what it means to the API server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keeps } from '../functions/stages/schema/cel';
import { translateRule } from '../functions/stages/schema/cel-library';

const rule = suite('cel');
const eager = (text: string, self: unknown): boolean | undefined =>
  keeps({ rule: translateRule(text), message: '' }, self);

rule('a rule that calls an unknown function does not compile', () => {
  assert.throws(() => translateRule('cidr(self).ip().family() == 4'), /cidr is not registered/);
  assert.throws(() => translateRule('self.isSorted()'), /isSorted is not registered/);
});
rule('a text that looks like a call is a text', () => {
  assert.is(translateRule("self == 'cidr(x)' && has(self.a)"), "self == 'cidr(x)' && has(self.a)");
});
rule('functions that differ are renamed', () => {
  assert.is(
    translateRule("self.matches('a') && duration(self) > duration('0s')"),
    "self.re2Matches('a') && goDuration(self) > goDuration('0s')",
  );
});

const DURATIONS: Record<string, boolean | undefined> = {
  '1ns': true,
  '1h30m': true,
  '1.5h': true,
  '.5h': true,
  '1µs': true,
  '1μs': true,
  '+1h': true,
  '0s': false,
  '0': false,
  '-1h': false,
  '0.1ns': false,
  '': undefined,
  '1d': undefined,
  '1 h': undefined,
  h: undefined,
  '9999999h': undefined,
};
for (const [text, expected] of Object.entries(DURATIONS)) {
  rule(
    `a duration of \`${text}\` is ${expected === undefined ? 'none' : expected ? 'above zero' : 'not above zero'}`,
    () => {
      assert.is(eager("duration(self) > duration('0s')", text), expected);
    },
  );
}
const TIMES: Record<string, boolean | undefined> = {
  '2030-01-31T12:00:00Z': true,
  '2028-02-29T23:59:59.999999999+23:59': true,
  '1970-01-01T00:00:00Z': false,
  '0001-01-01T00:00:00Z': false,
  '2030-02-29T12:00:00Z': undefined,
  '2030-13-01T00:00:00Z': undefined,
  '0000-01-01T00:00:00Z': undefined,
  '9999-12-31T23:59:59-23:59': undefined,
};
for (const [text, expected] of Object.entries(TIMES)) {
  rule(
    `a time of \`${text}\` is ${expected === undefined ? 'none' : expected ? 'after 1970' : 'not after 1970'}`,
    () => {
      assert.is(eager("timestamp(self) > timestamp('1970-01-01T00:00:00Z')", text), expected);
    },
  );
}
rule('sizes count characters', () => {
  assert.is(eager('size(self) == 2', 'a😀'), true);
  assert.is(eager('self.all(path, size(path) <= 1)', { '😀': 'x' }), true);
});
rule('fields that objects inherit are not there', () => {
  assert.is(eager('has(self.toString)', {}), false);
  assert.is(eager("'constructor' in self", { a: 'b' }), false);
  assert.is(eager("'constructor' in self", { constructor: 'b' }), true);
});
rule('a pattern takes no longer on a hostile text', () => {
  const started = Date.now();
  assert.is(eager("self.matches('^(([a-z])+.)+[A-Z]([a-z])+$')", 'a'.repeat(100_000)), false);
  assert.ok(Date.now() - started < 5000);
});
rule.run();
