// Real kubectl, as docs/kpt-live.md has its users call it: the order it applies in, what it prunes, and the claims that it must not.
import * as assert from 'uvu/assert';
import { must, type Ran } from './command';
import { documented, isExplained } from './engine-documented';
import { contents, makeNamespace, startEngineServer, stored } from './engine-server';
import { openShell, type Shell } from './engine-shell';
import { programs, suiteWith } from './prerequisites';

const CLAIM = 'PersistentVolumeClaim';
const test = suiteWith('kubectl', 'kubectl', 'kube-apiserver', 'etcd', 'jq');

const names = async ({ server }: Shell, kind: string): Promise<string[]> =>
  (await stored(server, kind, 'research')).map(({ metadata }) => metadata.labels?.['steadmesh.io/seat'] ?? '').sort();
/** Seats whose claims are being deleted: the server waits for a controller that is not there. */
const doomed = async ({ server }: Shell): Promise<(string | undefined)[]> =>
  (await stored(server, CLAIM, 'research'))
    .filter(({ metadata }) => metadata.deletionTimestamp)
    .map(({ metadata }) => metadata.labels?.['steadmesh.io/seat']);
const succeeds = ({ status, stdout, stderr }: Ran): void => assert.is(status, 0, `${stdout}${stderr}`);

/** What a message says first, and the page too. */
function refuses({ status, stderr }: Ran, phrase: string): void {
  assert.is.not(status, 0);
  assert.match(stderr, phrase);
  assert.ok(isExplained(phrase), phrase);
}

const PRUNE = documented('sh', 'kubectl prune');
const APPLYSET = documented('sh', 'kubectl applyset');
const RENDERED = 'set -o pipefail; seatplan render research';
const ALL_IN_APPLYSET = `${RENDERED} --output json |
  jq '.items |= map(select(.metadata.namespace == "research"))' |
  KUBECTL_APPLYSET=true kubectl apply -n research --prune --applyset=configmaps/seats -f -`;

for (const kubectl of programs('kubectl')) {
  const printed = must([kubectl, 'version', '--client', '--output', 'json']);
  const version = (JSON.parse(printed) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion;
  const on = (title: string, use: (shell: Shell) => Promise<void>): void => {
    test(`kubectl ${version} ${title}`, async () => {
      const shell = openShell(await startEngineServer(), { kubectl });
      try {
        await makeNamespace(shell.server, 'research');
        shell.have('analyst', 'librarian');
        await use(shell);
      } finally {
        await shell.stop();
      }
    });
  };

  on('applies policies before StatefulSets, and again changes nothing', async (shell) => {
    const all = async () =>
      Promise.all(['NetworkPolicy', 'StatefulSet', 'Seat'].map((kind) => stored(shell.server, kind, 'research')));
    succeeds(shell.run(documented('sh', 'kubectl apply')));
    const [policies = [], sets = [], seats = []] = await all();
    const versions = (objects: typeof policies): number[] =>
      objects.map(({ metadata }) => Number(metadata.resourceVersion));
    assert.equal([policies.length, sets.length, seats.length], [2, 2, 2]);
    assert.ok(Math.max(...versions(policies)) < Math.min(...versions(sets)));
    succeeds(shell.run(documented('sh', 'kubectl apply')));
    assert.equal((await all()).map(contents), [policies, sets, seats].map(contents));
    shell.have('analyst');
    succeeds(shell.run(documented('sh', 'kubectl apply')));
    assert.equal(await names(shell, 'StatefulSet'), ['analyst', 'librarian']);
    refuses(
      shell.run(`${RENDERED} | kubectl apply -f - --server-side --prune -l steadmesh.io/component=seat`),
      "--prune is in alpha and doesn't currently work on objects created by server-side apply",
    );
  });

  on('prunes claims unless it is told what to prune', async (shell) => {
    succeeds(shell.run(PRUNE));
    shell.have('analyst');
    succeeds(shell.run(PRUNE));
    assert.equal(await names(shell, 'StatefulSet'), ['analyst']);
    assert.equal(await names(shell, 'ConfigMap'), ['analyst']);
    assert.equal(await names(shell, 'NetworkPolicy'), ['analyst', 'librarian']);
    assert.equal(await names(shell, CLAIM), ['analyst', 'librarian']);
    assert.equal(await doomed(shell), []);
    assert.is((await stored(shell.server, 'Job', 'steadmesh-system')).length, 1);
    succeeds(shell.run(`${RENDERED} | kubectl apply -f - --prune -l steadmesh.io/component=seat`));
    assert.equal(await doomed(shell), ['librarian']);
  });

  on('prunes claims that are in an ApplySet, and none that are not', async (shell) => {
    succeeds(shell.run(APPLYSET));
    shell.have('analyst');
    succeeds(shell.run(APPLYSET));
    assert.equal(await names(shell, 'StatefulSet'), ['analyst']);
    assert.equal(await names(shell, 'NetworkPolicy'), ['analyst', 'librarian']);
    assert.equal(await names(shell, CLAIM), ['analyst', 'librarian']);
    assert.equal(await doomed(shell), []);
    shell.have('analyst', 'librarian');
    succeeds(shell.run(ALL_IN_APPLYSET));
    shell.have('analyst');
    succeeds(shell.run(ALL_IN_APPLYSET));
    assert.equal(await doomed(shell), ['librarian']);
  });

  on('takes claims out of an ApplySet if they are applied apart first', async (shell) => {
    const [apart, set] = APPLYSET.split(/(?=jq .*\n *KUBECTL_APPLYSET)/);
    succeeds(shell.run(ALL_IN_APPLYSET));
    succeeds(shell.run(APPLYSET));
    assert.equal(await doomed(shell), []);
    succeeds(shell.run(ALL_IN_APPLYSET));
    succeeds(shell.run(`${apart!.replace(/jq[\s\S]*/, '')}${set}`));
    assert.equal((await doomed(shell)).sort(), ['analyst', 'librarian']);
  });

  on('prunes nothing when the render fails, or finds nothing', async (shell) => {
    succeeds(shell.run(PRUNE));
    succeeds(shell.run(APPLYSET));
    shell.have();
    for (const commands of [
      PRUNE,
      APPLYSET,
      'seatplan render research | kubectl apply -f - --prune -l steadmesh.io/component=seat',
    ]) {
      assert.is.not(shell.run(commands).status, 0);
    }
    refuses(shell.run('seatplan render research | kubectl apply -f -'), 'no objects passed to apply');
    assert.equal(await names(shell, 'StatefulSet'), ['analyst', 'librarian']);
    assert.equal(await doomed(shell), []);
  });

  on('removes one seat by hand', async (shell) => {
    succeeds(shell.run(documented('sh', 'kubectl apply')));
    const commands = documented('sh', 'kubectl delete').replace('--cascade=foreground', '--cascade=background');
    succeeds(shell.run(commands));
    for (const kind of ['StatefulSet', 'NetworkPolicy', 'ConfigMap', 'ServiceAccount']) {
      assert.equal(
        (await names(shell, kind)).filter((seat) => seat === 'librarian'),
        [],
        kind,
      );
    }
    assert.equal(await names(shell, CLAIM), ['analyst', 'librarian']);
  });

  on('says why an ApplySet needs a namespace, and one namespace only', async (shell) => {
    const apply = 'KUBECTL_APPLYSET=true kubectl apply --prune --applyset=configmaps/seats -f -';
    refuses(shell.run(`${RENDERED} | ${apply}`), 'namespace is required to use namespace-scoped ApplySet');
    refuses(shell.run(`${RENDERED} | ${apply} -n research`), 'the namespace from the provided object');
  });
}

test.run();
