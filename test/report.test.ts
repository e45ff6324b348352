// The formats of findings: what each line or element says, and that no text of a user escapes into its medium.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asLine, asLines, forJson, forTerminal, forXml } from '../functions/escape';
import { CODES, type Finding, report } from '../functions/finding';
import type { Item } from '../functions/model';
import { jsonOf } from '../functions/report/json';
import { junitOf } from '../functions/report/junit';
import { sarifOf } from '../functions/report/sarif';
import { summaryOf, textOf } from '../functions/report/text';

const item = (name: string, file = 'team/seats.yaml'): Item => ({
  text: 'kind: Seat\n',
  origin: { file, index: 1, line: 4, column: 1 },
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'Seat',
  name,
  namespace: 'agents',
  annotations: {},
  level: 'package',
});
const unknownTier: Finding = {
  ...report('UNKNOWN_TIER', item('ana'), 'spec.tierRef.name', 'there is no tier "x"', { value: 'x' }),
  line: 9,
  column: 11,
};
const plain = { colours: false };

const text = suite('text');
text('a finding is one line with its place, severity, code, object and field', () => {
  assert.is(
    textOf([unknownTier], plain),
    'team/seats.yaml:9:11: error UNKNOWN_TIER Seat/agents/ana spec.tierRef.name: there is no tier "x"\n',
  );
});
text('unknown parts are left out', () => {
  assert.is(
    textOf([report('NOTHING_TO_RENDER', undefined, '', 'nothing')], plain),
    'error NOTHING_TO_RENDER: nothing\n',
  );
  const encoding = report('INVALID_ENCODING', undefined, '', 'no UTF-8', { file: 'a.yaml' });
  assert.is(textOf([encoding], plain), 'a.yaml: error INVALID_ENCODING: no UTF-8\n');
});
text('colours are control sequences around words, and only those', () => {
  const coloured = textOf([unknownTier], { colours: true });
  assert.match(coloured, '\u001b[');
  assert.is(coloured.replace(/\u001b\[[0-9;]*m/g, ''), textOf([unknownTier], plain));
});
text('a summary counts by severity', () => {
  const info = report('HELM_TEMPLATE', undefined, '', 'm');
  const warning = report('CIDR_MASKED', undefined, '', 'm');
  assert.is(summaryOf([unknownTier, unknownTier, warning, info]), '2 errors, 1 warning, 1 info');
  assert.is(summaryOf([]), '');
});
text.run();

const escapes: Record<string, readonly [raw: string, escaped: string]> = {
  'a terminal sequence': ['\u001b[2J\u0007', '\\x1b[2J\\x07'],
  'an 8-bit control': ['\u009b2J', '\\x9b2J'],
  'a line end': ['a\r\nb\tc', 'a\\r\\nb\\tc'],
  'a NUL byte': ['a\0b', 'a\\x00b'],
  'a direction mark': ['a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
  'a line separator': ['a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
  'an invisible character': ['a\u200bb\ufeffc', 'a\\u200bb\\ufeffc'],
  'a tag character': ['a\u{e0041}b', 'a\\u{e0041}b'],
  'half a surrogate pair': ['a\ud800b', 'a\\ud800b'],
  'an Azure command': ['x ##vso[task.setvariable]y', 'x \\x23#vso[task.setvariable]y'],
  'a GitHub command of the old form': ['##[add-path]/tmp', '\\x23#[add-path]/tmp'],
  'a TeamCity command': ['###teamcity[x]', '#\\x23#teamcity[x]'],
  'letters of any script': ['Zürich 東京 👍', 'Zürich 東京 👍'],
};
const escaping = suite('escaping');
for (const [sentence, [raw, escaped]] of Object.entries(escapes)) {
  escaping(`${sentence} on a terminal`, () => assert.is(forTerminal(raw), escaped));
  escaping(`${sentence} in JSON means the same and prints nothing that acts`, () => {
    const json = forJson(JSON.stringify({ raw }));
    assert.is(JSON.parse(json).raw, raw);
    assert.not.match(json, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|##[a-z]*\[/u);
  });
  escaping(`${sentence} in XML holds only characters that XML has`, () => assert.is(forXml(raw), escaped));
}
escaping('markup in XML', () =>
  assert.is(forXml(`]]><a b="c" d='e'>&amp;`), ']]&gt;&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;amp;'),
);
escaping('no line starts with a command', () => {
  assert.is(asLine('::error::x'), '\\x3a:error::x');
  assert.is(asLine('  \u00a0::add-mask::x'), '  \u00a0\\x3a:add-mask::x');
  assert.is(asLine('a ::b::'), 'a ::b::');
  assert.is(asLines('a\n::b::\n##[c]'), 'a\n\\x3a:b::\n\\x23#[c]');
});
escaping.run();

const hostile = '::set-output name=a::b\n::error::\u001b[2J##vso[x]</failure>\u202e\u2028';
const attack: Finding = {
  ...report('INVALID_VALUE', { ...item(hostile, hostile), namespace: hostile }, hostile, hostile, {
    value: hostile,
    proposed: hostile,
  }),
  line: 1,
  column: 1,
};
const outputs: Record<string, string> = {
  text: textOf([attack], plain),
  json: jsonOf([attack]),
  sarif: sarifOf([attack], '0.0.0'),
  junit: junitOf([attack], [item(hostile, hostile)]),
};
const attacks = suite('hostile names and values');
for (const [format, output] of Object.entries(outputs)) {
  attacks(`command neither a terminal nor a CI system in ${format}`, () => {
    assert.not.match(output, /^\s*::/m);
    assert.not.match(output, /##[A-Za-z]*\[/);
    assert.not.match(output.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });
}
attacks('leave the text on one line', () => assert.is(outputs.text?.split('\n').length, 2));
attacks('do not close an XML element', () => assert.is(outputs.junit?.match(/<\/failure>/g)?.length, 1));
attacks.run();

const json = suite('json');
json('holds every public field and not the item', () => {
  assert.equal(JSON.parse(jsonOf([unknownTier])), {
    findings: [
      {
        severity: 'error',
        code: 'UNKNOWN_TIER',
        kind: 'Misconfigured',
        message: 'there is no tier "x"',
        source: 'rule',
        resource: { apiVersion: 'steadmesh.io/v1alpha1', kind: 'Seat', name: 'ana', namespace: 'agents' },
        path: 'spec.tierRef.name',
        file: 'team/seats.yaml',
        index: 1,
        value: 'x',
        line: 9,
        column: 11,
      },
    ],
  });
});
json('is a whole document without findings', () => assert.equal(JSON.parse(jsonOf([])), { findings: [] }));
json('keeps a 64-bit integer as text', () => {
  const finding = report('INVALID_TYPE', undefined, '', 'm', { value: 9007199254740993n });
  assert.is(JSON.parse(jsonOf([finding])).findings[0].value, '9007199254740993');
});
json.run();

const sarif = suite('sarif');
const log = (findings: Finding[]) => JSON.parse(sarifOf(findings, '1.2.3')).runs[0];
sarif('has a rule for every code, which its results point to', () => {
  const { tool, results } = log([unknownTier]);
  assert.equal(
    tool.driver.rules.map(({ id }: { id: string }) => id),
    Object.keys(CODES),
  );
  assert.is(tool.driver.rules[results[0].ruleIndex].id, 'UNKNOWN_TIER');
  assert.is(tool.driver.rules[results[0].ruleIndex].help.text, 'See docs/findings.md#unknown_tier');
});
sarif('says where', () => {
  const [location] = log([unknownTier]).results[0].locations;
  assert.equal(location.physicalLocation, {
    artifactLocation: { uri: 'team/seats.yaml' },
    region: { startLine: 9, startColumn: 11 },
  });
  assert.is(location.logicalLocations[0].fullyQualifiedName, 'Seat/agents/ana spec.tierRef.name');
});
sarif('calls an info a note', () =>
  assert.is(log([report('HELM_TEMPLATE', undefined, '', 'm')]).results[0].level, 'note'),
);
const uris: Record<string, string> = {
  'a b/ü%.yaml': 'a%20b/%C3%BC%25.yaml',
  'c:d.yaml': 'c%3Ad.yaml',
  '/abs/x.yaml': 'file:///abs/x.yaml',
  '\ud800.yaml': '%EF%BF%BD.yaml',
};
for (const [file, uri] of Object.entries(uris)) {
  sarif(`names ${JSON.stringify(file)} by a URI`, () => {
    const finding = report('INVALID_ENCODING', undefined, '', 'm', { file });
    assert.is(log([finding]).results[0].locations[0].physicalLocation.artifactLocation.uri, uri);
  });
}
sarif.run();

const junit = suite('junit');
junit('has a case per object, failed only by errors', () => {
  const warning = report('CIDR_MASKED', item('ben'), 'spec', 'masked');
  const xml = junitOf([unknownTier, warning], [item('ana'), item('ben'), item('eve')]);
  assert.match(xml, '<testsuites name="seatplan" tests="3" failures="1" errors="0">');
  assert.match(
    xml,
    /name="Seat\/agents\/ana">\s*<failure type="UNKNOWN_TIER" message="there is no tier &quot;x&quot;">/,
  );
  assert.match(xml, /name="Seat\/agents\/ben">\s*<system-out>/);
  assert.match(xml, 'name="Seat/agents/eve"/>');
});
junit('has a case per file for what no object is', () => {
  const xml = junitOf([report('INVALID_ENCODING', undefined, '', 'm', { file: 'a.yaml' })], []);
  assert.match(xml, '<testcase classname="a.yaml" name="a.yaml">');
});
junit.run();
