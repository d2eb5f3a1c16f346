/** How a sweep of a worker ends, and when a shop that failed is tried again. */
import { expect } from 'vitest';

import { test } from '../support/fixtures.ts';
import type { Db } from '../../src/warehouse/db/database.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { type SweepJobDeps, sweepJob } from '../../src/worker/sweep-job.ts';
import { impatientShop, quiet, registryOf, sweepJobDeps } from '../support/impatient-shop.ts';
import { testClock } from '../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');

/** Sweeps of a worker's only shop, and how they ended. */
function jobOf(db: Db, baseUrl: string, given: Partial<SweepJobDeps> = {}) {
  const ended: (string | undefined)[] = [];
  const count: SweepJobDeps['count'] = (_shop, result) => void ended.push(result?.status);
  const registry = registryOf(impatientShop(baseUrl));
  const deps = sweepJobDeps({ db, registry, now: testClock(PRESENT).now, count, ...given });
  return {
    ended,
    sweep: (more: Partial<SweepJobDeps> = {}, key = 'test') => sweepJob({ ...deps, ...more }, key, undefined),
  };
}

test('how a sweep ends says when the shop is swept next, and a failure of the shop is no error of the worker', async ({
  own: { client, db },
}) => {
  await using simulator = await startSimulator({ orders: 20, days: 5, now: PRESENT });
  const clock = testClock(PRESENT);
  const registry = registryOf();
  const shop = impatientShop(simulator.url);
  const logged: string[] = [];
  const info = (_fields: object, message: string) => void logged.push(message);
  const { ended, sweep } = jobOf(db, shop.baseUrl, { registry, logger: { ...quiet, info }, now: clock.now });
  const reported = () => logged.filter((message) => message === 'sweep ended').length;

  registry.configure([{ ...shop, apiKey: 'wrong' }]);
  expect(await sweep(), 'not registered').toEqual({ retryMs: 60_000 });
  registry.configure([shop]);
  // Time is up after the first window: the rest goes on later.
  expect(await sweep({ budgetMs: 0 })).toBe('unfinished');
  expect(await sweep()).toBe('ended');
  expect(ended).toEqual([undefined, expect.any(String), 'ok']);
  const told = reported();
  expect(told, 'what found orders is logged').toBeGreaterThan(0);
  clock.pass({ minutes: 2 });
  expect(await sweep()).toBe('ended');
  expect([reported(), ended.pop()], 'what found nothing is not').toEqual([told, 'ok']);
  simulator.shop.deleteOrder(simulator.shop.orders().at(-1)?.orderId ?? 0);
  clock.pass({ hours: 25 });
  expect(await sweep()).toBe('ended');
  expect([reported(), ended.pop()], 'what misses an order is').toEqual([told + 1, 'ok']);
  expect(await sweep({}, 'elsewhere'), 'a shop of another worker').toBe('ended');

  registry.configure([{ ...shop, apiKey: 'wrong again' }]);
  for (const minutes of [1, 2, 4]) {
    clock.pass({ hours: 25 });
    expect(await sweep(), 'longer with each failure').toEqual({ retryMs: minutes * 60_000 });
  }
  registry.configure([shop]);
  const counted = ended.length;
  const stopping = AbortSignal.abort(new Error('stopped'));
  expect(await sweep({ stopping }), 'another worker takes over').toBe('interrupted');
  expect(ended, 'and it is no failure').toHaveLength(counted);
  await client.query('ALTER TABLE ops.leases RENAME TO leases_elsewhere');
  expect(await sweep(), 'whatever it was').toMatchObject({ retryMs: expect.any(Number) });
  await client.query('ALTER TABLE ops.leases_elsewhere RENAME TO leases');
});

test('a sweep whose lease another process took over ends like one that failed', async ({
  own: { client, db },
}) => {
  await using simulator = await startSimulator({ orders: 20, days: 5, now: PRESENT });
  const logged: object[] = [];
  const logger = { ...quiet, warn: (fields: object) => void logged.push(fields) };
  const { ended, sweep } = jobOf(db, simulator.url, { logger });
  const takeOver = async () =>
    void (await client.query(`UPDATE ops.leases SET epoch = epoch + 1, holder = 'another' WHERE shop_id = (
      SELECT shop_id FROM tested.shops)`));
  const off = simulator.requests.onRequest(({ route }) => (route === 'orders' ? takeOver() : undefined));
  expect(await sweep()).toMatchObject({ retryMs: 60_000 });
  off();
  expect(ended).toEqual([undefined]);
  expect(logged).toEqual([{ shop: 'test', reason: expect.stringContaining('another process took over') }]);
});

test('a shop that another process syncs at the moment is no failure', async ({ own: { client, db } }) => {
  await using simulator = await startSimulator({ orders: 5, days: 2, now: PRESENT });
  const { ended, sweep } = jobOf(db, simulator.url);
  expect(await sweep()).toBe('ended');
  await client.query(
    `UPDATE tested.leases SET holder = 'elsewhere:7', expires_at = now() + interval '25 seconds'`,
  );
  expect(await sweep()).toBe('ended');
  expect(ended).toEqual(['ok']);
});

test('a day that cannot be verified is not tried at every tick', async ({ own: { client, db } }) => {
  await using simulator = await startSimulator({ orders: 20, days: 5, now: PRESENT });
  const [, order] = simulator.shop.orders();
  simulator.shop.setRaw(order?.orderId ?? 0, { order_id: 'none' });
  const clock = testClock(PRESENT);
  const { sweep } = jobOf(db, simulator.url, { now: clock.now });
  const tries = async () => {
    expect(await sweep()).toBe('ended');
    return (await client.query('SELECT max(attempts)::int AS tries FROM tested.days')).rows[0]?.['tries'];
  };
  const seen: unknown[] = [await tries()];
  for (const seconds of [10, 10, 41]) {
    clock.pass({ seconds });
    seen.push(await tries());
  }
  expect(seen).toEqual([1, 1, 1, 2]);
});
