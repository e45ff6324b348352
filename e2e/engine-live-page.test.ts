// docs/kpt-live.md from nothing to an applied package: its commands, with the rights that it names and none besides.
import * as assert from 'uvu/assert';
import { startApiServer } from './apiserver';
import { must, type Ran } from './command';
import { documented, isExplained } from './engine-documented';
import { makeNamespace, stored } from './engine-server';
import { openShell } from './engine-shell';
import { program, programs, suiteWith } from './prerequisites';

const test = suiteWith('kpt live page', 'kpt', 'kubectl', 'kube-apiserver', 'etcd');

/** kpt as on the PATH of a user: the package's function is a program here, which kpt asks about. */
const asUser = (kpt: string): string => `[[ $1 == fn ]] && set -- "$1" "$2" --allow-exec "\${@:3}"\n${kpt}`;
const succeeds = ({ status, stdout, stderr }: Ran): void => assert.is(status, 0, `${stdout}${stderr}`);

/** Without controllers some objects are never ready: as user ci, and not for a minute. */
const APPLY = documented('sh', 'apply').replace('--reconcile-timeout=1m', '--reconcile-timeout=2s --as=ci');

for (const kpt of programs('kpt')) {
  const version = must([kpt, 'version']).trim();
  test(`kpt ${version} applies as the page says, with the rights that it names`, async () => {
    const shell = openShell(await startApiServer(), { kpt: asUser(kpt), kubectl: program('kubectl') ?? 'kubectl' });
    try {
      const counted = (ran: Ran): string => /apply result: .*/.exec(`${ran.stdout}${ran.stderr}`)?.[0] ?? ran.stderr;
      const rights = documented('yaml', 'rights.yaml');
      const allow = (text: string): void => succeeds(shell.run(`kubectl apply -f - <<'END'\n${text}\nEND`));
      succeeds(shell.run(documented('sh', 'install').replace('kubectl apply', 'kubectl apply --force-conflicts')));
      await makeNamespace(shell.server, 'research');
      shell.have('analyst', 'librarian');
      succeeds(shell.run(documented('sh', 'init')));

      allow(rights.replace('[seats/status]', '[seats]'));
      const less = shell.run(APPLY);
      assert.match(counted(less), /, [1-9]\d* failed/);
      const phrase = 'attempting to grant RBAC permissions not currently held';
      assert.match(`${less.stdout}${less.stderr}`, phrase);
      assert.ok(isExplained(phrase));

      allow(rights);
      assert.match(counted(shell.run(APPLY)), /[1-9]\d* successful, 0 skipped, 0 failed/);
      assert.is((await stored(shell.server, 'StatefulSet', 'research')).length, 2);
      shell.have('analyst');
      const pruned = shell.run(APPLY);
      assert.match(
        `${pruned.stdout}${pruned.stderr}`,
        /prune result: \d+ attempted, \d+ successful, 0 skipped, 0 failed/,
      );
      assert.is((await stored(shell.server, 'StatefulSet', 'research')).length, 1);
      succeeds(shell.run('kpt live destroy research --as=ci'));
      assert.is((await stored(shell.server, 'StatefulSet', 'research')).length, 0);
      assert.is((await stored(shell.server, 'PersistentVolumeClaim', 'research')).length, 2);
    } finally {
      await shell.stop();
    }
  });
}

test.run();
