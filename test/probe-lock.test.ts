// The lock of a namespace: two probers at once, one that is gone, one that loses it, and text that means nothing.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Plan } from '../functions/model';
import { HOLDER } from '../functions/probe/identity';
import type { Api } from '../functions/probe/prober/api';
import { type Held, markOf, type Pace, take, type Waiting } from '../functions/probe/prober/lock';
import { ScriptedApi } from './scripted-api';

const PLAN = { controlPlaneNamespace: 'steadmesh-system', prober: 'probe-team-a' } as Plan;
const QUICK: Pace = { stale: 60, renew: 5, askAgain: 5 };
/** Nothing of it comes while a test runs. */
const NEVER = 600_000;
const mark = (holder: string, renewed = ''): string => JSON.stringify({ holder, acquired: '', renewed });

interface Context {
  server: ScriptedApi;
  api: Api;
  /** Takes it as somebody; by default without waiting for anybody who lives. */
  as: (holder: string, pace?: Partial<Pace>, waiting?: Partial<Waiting>) => Promise<Held | undefined>;
}
const test = suite<Context>('the lock');
test.before.each(async (context) => {
  const server = new ScriptedApi();
  const api = await server.open();
  const waiting: Waiting = { deadline: 0, stopped: () => false, waiting: () => undefined };
  context.server = server;
  context.api = api;
  context.as = (holder, pace, more) => take(api, PLAN, holder, { ...waiting, ...more }, { ...QUICK, ...pace });
});
test.after.each(({ server }) => server.close());

const textOf = ({ report }: ScriptedApi): string | undefined => report?.metadata?.annotations?.[HOLDER];
const holderOf = (server: ScriptedApi): string | undefined => markOf(textOf(server))?.holder;
const write = (server: ScriptedApi, text: string | null): void =>
  server.write({ metadata: { annotations: { [HOLDER]: text as string } } });

test('is free at first, named while it is held, and free again', async ({ server, as }) => {
  const held = await as('me', { renew: NEVER });
  assert.is(holderOf(server), 'me');
  await held?.release();
  assert.is(textOf(server), undefined);
});

test('of two that come at once one gets it', async ({ server, as }) => {
  const both = await Promise.all(
    ['one', 'two'].map(async (name) => ({ name, held: await as(name, { stale: NEVER }) })),
  );
  const winners = both.filter(({ held }) => held);
  assert.equal(
    winners.map(({ name }) => name),
    [holderOf(server)],
  );
  await winners[0]?.held?.release();
});

test('who writes between look and word has it', async ({ server, as }) => {
  server.script = ({ call }) => {
    if (call.startsWith('PATCH')) write(server, mark('you'));
    return undefined;
  };
  const told: string[] = [];
  const patience = {
    deadline: Number.POSITIVE_INFINITY,
    stopped: () => told.length > 0,
    waiting: (who: string) => void told.push(who),
  };
  assert.is(await as('me', { stale: NEVER }, patience), undefined);
  assert.is(holderOf(server), 'you');
  assert.equal(told, ['you']);
});

test('whose text stays the same is gone, whatever its time says', async ({ server, as }) => {
  write(server, mark('you', '2999-01-01T00:00:00Z'));
  const held = await as('me');
  assert.is(holderOf(server), 'me');
  await held?.release();
});

test('who renews keeps it, however old its time looks', async ({ server, as }) => {
  let renewals = 0;
  server.script = ({ call }) => {
    if (call.startsWith('GET')) write(server, mark('you', `1999 ${renewals++}`));
    return undefined;
  };
  const patience = { deadline: Number.POSITIVE_INFINITY, stopped: () => renewals > 20 };
  assert.is(await as('me', { stale: 5 * QUICK.askAgain }, patience), undefined);
  assert.is(holderOf(server), 'you');
});

for (const text of ['', '{', 'null', '[]', '{"holder":"me"}', '{"holder":1,"acquired":"","renewed":""}']) {
  test(`${text || 'nothing'} is nobody’s once it stays, and somebody’s while it changes`, async ({ server, as }) => {
    write(server, text);
    const held = await as('me', { renew: NEVER });
    assert.is(holderOf(server), 'me');
    await held?.release();

    let changes = 0;
    server.script = ({ call }) => {
      if (call.startsWith('GET')) write(server, text + ' '.repeat(++changes));
      return undefined;
    };
    assert.is(await as('me'), undefined);
    assert.is(textOf(server), text + ' '.repeat(changes));
  });
}

test('its own name is free, and keeps since when', async ({ server, as }) => {
  write(server, JSON.stringify({ holder: 'me', acquired: 'then', renewed: 'then' }));
  const held = await as('me', { stale: NEVER, renew: NEVER });
  assert.is(markOf(textOf(server))?.acquired, 'then');
  assert.is.not(markOf(textOf(server))?.renewed, 'then');
  await held?.release();
});

for (const [what, text] of [
  ['another name', mark('you')],
  ['text that means nothing', '{'],
] as const) {
  test(`${what} on it: it is lost, and left alone`, async ({ server, as }) => {
    const held = await as('me');
    write(server, text);
    await held?.lost;
    assert.is(await held?.renew(), false);
    await held?.release();
    assert.is(textOf(server), text);
  });
}

test('a name that somebody took off is put on again', async ({ server, as }) => {
  const held = await as('me', { renew: NEVER });
  write(server, null);
  assert.is(await held?.renew(), true);
  assert.is(holderOf(server), 'me');
  await held?.release();
});

test('a renewal that was under way does not put the name on again', async ({ server, as }) => {
  const held = await as('me', { renew: NEVER });
  let release: Promise<void> | undefined;
  server.script = ({ call }) => {
    // told to end while the renewal reads
    if (call.startsWith('GET')) release ??= held?.release();
    return undefined;
  };
  await held?.renew();
  await release;
  assert.is(textOf(server), undefined);
});

test('neither an API server that is away nor other writers lose it', async ({ server, as }) => {
  const held = await as('me', { renew: NEVER });
  let writes = 0;
  server.script = ({ call }) => {
    if (call.startsWith('PATCH')) server.write({ metadata: { labels: { engine: String(writes++) } } });
    return undefined;
  };
  assert.is(await held?.renew(), true);
  server.script = () => ({ code: 403 });
  assert.is(await held?.renew().catch(() => 'not told'), 'not told');
  server.script = () => undefined;
  assert.is(await held?.renew(), true);
  await held?.release();
});

test('told to end it waits for nobody', async ({ server, as }) => {
  write(server, mark('you'));
  assert.is(await as('me', {}, { stopped: () => true }), undefined);
  assert.is(holderOf(server), 'you');
});

test('report and name do not touch each other', async ({ server, as }) => {
  server.write({ data: { 'report.json': '{}' }, metadata: { annotations: { more: 'yes' } } });
  const held = await as('me', { renew: NEVER });
  await held?.release();
  assert.equal(server.report?.data, { 'report.json': '{}' });
  assert.equal(server.report?.metadata?.annotations, { more: 'yes' });
});

test.run();
