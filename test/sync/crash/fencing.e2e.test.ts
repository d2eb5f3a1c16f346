import { hostname } from 'node:os';

import { expect, test, vi } from 'vitest';

import { expireLease, type Lab, openLab, writtenRows } from '../../support/crash-lab.ts';
import { type Statement, startDatabaseProxy } from '../../support/database-proxy.ts';
import { atRequest, atStatement, pauseAt, type Point, untilReached } from '../../support/kill.ts';
import { differences } from '../../support/truth.ts';
import { testTimeoutMs } from '../../support/patience.ts';
import { IS_LONG } from '../../support/long.ts';

// Several run side by side.
vi.setConfig({ testTimeout: 3 * testTimeoutMs() });

const SHOP = {
  ...(IS_LONG ? { orders: 60, days: 14 } : { orders: 20, days: 5 }),
  pageLimit: 6,
  seed: 31,
} as const;
const TAKEN_OVER = expect.stringMatching(/[Aa]nother process took over shop \d+; this one stopped writing/);

const isFenceCheck = ({ text }: Statement) => /FROM ops\.leases .*FOR SHARE/s.test(text);
/** Whether more statements of the same transaction follow. */
const begins = ({ text }: Statement) => text.includes("'30s'");
const isOrders = (text: string) => text.startsWith('INSERT INTO "core"."orders"');

const PAUSES: readonly { readonly name: string; readonly point: Point }[] = [
  { name: 'with a transaction prepared', point: atStatement('before', isFenceCheck, 4) },
  { name: 'while it fetches contents', point: atRequest('order', 30) },
  { name: 'between two pages', point: atRequest('orders', 4) },
  { name: 'while it fetches buyers', point: atRequest('users', 3) },
];

const runsOf = async ({ client }: Lab) =>
  (await client.query('SELECT status, error FROM tested.runs ORDER BY run_id')).rows;

test.concurrent.for(IS_LONG ? PAUSES : [])(
  'a process that was paused $name writes nothing after its lease expired',
  async ({ point }) => {
    await using lab = await openLab(SHOP);
    const { shop } = lab.simulator;
    const first = await pauseAt(lab, point, () => lab.backfill());
    await expireLease(lab);
    // Whatever the first one holds in memory is outdated from now on.
    for (const { orderId } of shop.orders()) shop.editOrder(orderId);

    const second = await lab.backfill({ force: true, databaseUrl: lab.databaseUrl }).outcome;
    expect(second, second.stderr).toMatchObject({ code: 0 });
    expect(await differences(lab.client, shop)).toEqual([]);

    const written = await writtenRows(lab);
    expect(await first.resume()).toMatchObject({ code: 1, stderr: TAKEN_OVER });
    expect(await writtenRows(lab)).toBe(written);
    expect(await differences(lab.client, shop)).toEqual([]);
    expect(await runsOf(lab)).toEqual([
      { status: 'failed', error: TAKEN_OVER },
      { status: 'ok', error: null },
    ]);
  },
);

test.concurrent('while one process holds the shop, another names it and changes nothing', async () => {
  await using lab = await openLab(SHOP);
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  // From then on no request is answered: what goes on beside orders would be written.
  lab.simulator.requests.onRequest(async () => {
    if (isHeld) await released.promise;
  });
  atRequest('order', 5)(lab, async () => {
    isHeld = true;
    reached.resolve();
    return 'deliver';
  });
  const first = lab.backfill();
  await untilReached(first, reached.promise);
  await lab.proxy.quiet();
  const written = await writtenRows(lab, ['shop_state', 'shop_figures']);

  const second = await lab.backfill({ force: true, databaseUrl: lab.databaseUrl }).outcome;
  expect(second).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"status":"failed"'),
    stderr: expect.stringContaining(`being synced by ${hostname()}:${first.process.pid}; wait for it to end`),
  });
  expect(await writtenRows(lab, ['shop_state', 'shop_figures'])).toBe(written);

  released.resolve();
  const outcome = await first.outcome;
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);
  expect(await runsOf(lab)).toEqual([{ status: 'ok', error: null }]);
});

test.concurrent('a process that hangs inside a transaction is disconnected, so that another can take over', async () => {
  await using lab = await openLab(SHOP);
  const stopped = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  let hasStopped = false;
  lab.proxy.handle(async (statement, forward) => {
    // The server's patience is three seconds here instead of half a minute.
    await forward(isFenceCheck(statement) && begins(statement) ? ["'30s'", "'03s'"] : undefined);
    if (hasStopped || !isOrders(statement.text)) return;
    hasStopped = true;
    first.process.kill('SIGSTOP');
    stopped.resolve();
    await resumed.promise;
  });
  const first = lab.backfill();
  await untilReached(first, stopped.promise);
  await using other = await startDatabaseProxy(lab.databaseUrl);
  other.handle(async (statement, forward) => {
    // As if the second had come half a minute later, with the lease run out.
    if (statement.text.startsWith('INSERT INTO ops.leases')) await expireLease(lab);
    await forward();
  });
  const second = await lab.backfill({ databaseUrl: other.url }).outcome;
  expect(second, second.stderr).toMatchObject({ code: 0 });
  expect(await differences(lab.client, lab.simulator.shop)).toEqual([]);

  const written = await writtenRows(lab);
  first.process.kill('SIGCONT');
  resumed.resolve();
  expect(await first.outcome).toMatchObject({ code: 1 });
  expect(await writtenRows(lab)).toBe(written);
});
