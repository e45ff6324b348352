// Host names of `access.egress` and of repositories: what is a name, what it becomes, what is proposed instead.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Access, Located, Seat } from '../functions/model';
import { parseHost, resolveHosts } from '../functions/stages/resolve/hosts';
import { seatWith } from './seats';

const names = suite('host names');
const ACCEPTED: readonly (readonly [text: string, host: string])[] = [
  ['example.com', 'example.com'],
  ['Example.COM', 'example.com'],
  ['example.com.', 'example.com'],
  ['*.example.com', '*.example.com'],
  ['*.Example.com.', '*.example.com'],
  ['registry', 'registry'],
  ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
  ['1.example.com', '1.example.com'],
  [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
];
for (const [text, host] of ACCEPTED) names(`"${text}" is ${host}`, () => assert.equal(parseHost(text), { host }));

const REFUSED: readonly (readonly [text: string, proposed?: string])[] = [
  [''],
  ['.'],
  ['*'],
  ['*.'],
  ['*.com'],
  ['*.com.'],
  ['*.*.com'],
  ['a.*.com'],
  ['a*.example.com'],
  ['.example.com', '*.example.com'],
  ['*example.com', '*.example.com'],
  ['example.com..'],
  ['a..b'],
  ['https://example.com/path', 'example.com'],
  ['example.com:443', 'example.com'],
  ['example.com/path', 'example.com'],
  ['user@example.com', 'example.com'],
  ['exa mple.com'],
  ['bücher.de', 'xn--bcher-kva.de'],
  ['a_b.example.com'],
  ['-a.example.com'],
  ['a-.example.com'],
  [`${'a'.repeat(64)}.com`],
  [`${'abcdefg.'.repeat(32)}com`],
  ['10.0.0.1'],
  ['2130706433'],
  ['0x7f.1'],
  ['127.1'],
  ['*.0.0.1'],
  ['::1'],
  ['[::1]'],
  ['[::1]:443'],
  ['https://10.0.0.1/'],
];
for (const [text, proposed] of REFUSED) {
  names(`"${text.slice(0, 40)}" is refused${proposed ? ` and ${proposed} proposed` : ''}`, () => {
    const parsed = parseHost(text);
    assert.ok('problem' in parsed);
    assert.is('proposed' in parsed ? parsed.proposed : undefined, proposed);
  });
}
names('what is accepted, and what is proposed, is a fixed point', () => {
  const near = fc.stringMatching(/^[*aB1._:/@ü-]{0,16}$/);
  fc.assert(
    fc.property(fc.oneof(near, fc.webUrl(), fc.domain()), (text) => {
      const parsed = parseHost(text);
      const host = 'host' in parsed ? parsed.host : parsed.proposed;
      if (host !== undefined) assert.equal(parseHost(host), { host });
    }),
    { numRuns: 500 },
  );
});
names.run();

const wishes = suite('hosts of a seat');
const seat = (access: Access): Located<Seat> => seatWith({ access });
wishes('one entry a host, ports together and sorted, 443 and 80 where none are given', () => {
  const { value, findings } = resolveHosts(
    seat({
      egress: [
        { host: 'b.example.com', ports: [8443] },
        { host: 'A.example.com' },
        { host: 'b.example.com.', ports: [443, 8443] },
      ],
    }),
  );
  assert.equal(findings, []);
  assert.equal(value, [
    { host: 'a.example.com', ports: [80, 443] },
    { host: 'b.example.com', ports: [443, 8443] },
  ]);
});
wishes('a repository delivered into the sandbox adds its host, one delivered by the platform does not', () => {
  const { value, findings } = resolveHosts(
    seat({
      repositories: [
        { connection: 'c', host: 'git.example.com', repos: ['a/b'], delivery: 'sandbox' },
        { connection: 'c', host: 'github.com', repos: ['a/b'] },
      ],
    }),
  );
  assert.equal(findings, []);
  assert.equal(value, [{ host: 'git.example.com', ports: [80, 443] }]);
});
wishes('a bad host, a bad port and a wildcard repository are named by their paths and left out', () => {
  const { value, findings } = resolveHosts(
    seat({
      egress: [{ host: 'https://a.example.com' }, { host: 'b.example.com', ports: [443, 70000] }],
      repositories: [{ connection: 'c', host: '*.example.com', repos: ['a/b'], delivery: 'sandbox' }],
    }),
  );
  assert.equal(
    findings.map(({ code, path, proposed }) => [code, path, proposed]),
    [
      ['INVALID_HOST', 'spec.access.egress[0].host', 'a.example.com'],
      ['INVALID_VALUE', 'spec.access.egress[1].ports[1]', undefined],
      ['INVALID_HOST', 'spec.access.repositories[0].host', undefined],
    ],
  );
  assert.equal(value, [{ host: 'b.example.com', ports: [443] }]);
});
wishes.run();
