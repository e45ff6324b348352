// Wrong usage and asked-for help: exit codes, and what goes to which stream.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seatplan } from './command';

const usage = suite('usage');
const wrong: Record<string, readonly string[]> = {
  'no command': [],
  'an unknown command': ['rendr'],
  'an unknown flag': ['render', '--al'],
  'an unknown flag of the program': ['--frobnicate'],
  'two sources': ['render', 'a', 'b'],
  'an unknown output': ['render', '--output', 'xml'],
  'an output folder without a path': ['render', '--output', 'dir='],
  'an unknown format': ['validate', '--format', 'html'],
  'an empty platform path': ['validate', '--platform', ''],
  'a missing value': ['render', '--config'],
  'no seat to explain': ['explain'],
  'a seat among capabilities': ['explain', '--capabilities', 'ana', '.'],
  'completion for no shell': ['completion'],
  'completion for an unknown shell': ['completion', 'csh'],
};
for (const [sentence, words] of Object.entries(wrong)) {
  usage(`${sentence} is wrong usage: exit code 2, help on stderr only`, async () => {
    const { exitCode, output, errors } = await seatplan(words);
    assert.is(exitCode, 2);
    assert.is(output, '');
    assert.match(errors, /seatplan|Usage/);
  });
}
usage('--version and --help are asked for, so they go to stdout', async () => {
  assert.equal(await seatplan(['--version']), { exitCode: 0, output: '9.9.9\n', errors: '' });
  for (const words of [
    ['--help'],
    ['render', '--help'],
    ['validate', '--help'],
    ['explain', '--help'],
    ['completion', '--help'],
  ]) {
    const { exitCode, output, errors } = await seatplan(words);
    assert.is(exitCode, 0);
    assert.is(errors, '');
    assert.match(output, 'Examples:');
  }
});
usage('what the user typed cannot command a terminal', async () => {
  const { errors } = await seatplan(['render', '--x\u001b[2J\n::error::y']);
  assert.not.match(errors, /\u001b|^::/m);
});
usage.run();
