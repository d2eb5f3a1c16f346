/** How a sweep of a worker ends, and when a shop that failed is tried again. */
import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { ShopRegistry } from '../../src/worker/shop-registry.ts';
import { type SweepJobDeps, sweepJob } from '../../src/worker/sweep-job.ts';
import { impatientShop, sweepJobDeps } from '../support/impatient-shop.ts';
import { inOwnWarehouse, testClock } from '../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };
const running = new AbortController().signal;

test('a shop that failed waits, but not with new settings, which may have fixed it', async () => {
  await using simulator = await startSimulator({ orders: 20, days: 5, now: PRESENT });
  await inOwnWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const registry = new ShopRegistry(quiet, clock.now);
    const shop = impatientShop(simulator.url);
    registry.configure([{ ...shop, apiKey: 'wrong' }]);
    const ended: (string | undefined)[] = [];
    const logged: string[] = [];
    const info = (_fields: object, message: string) => void logged.push(message);
    const deps = sweepJobDeps({
      db,
      registry,
      logger: { ...quiet, info },
      now: clock.now,
      count: (_shop, result) => void ended.push(result?.status),
    });
    const sweep = (given: Partial<SweepJobDeps> = {}) => sweepJob({ ...deps, ...given }, 'test', running);

    expect(await sweep()).toBe('ended');
    // Runs are recorded by the real clock; here they are of the test's.
    await client.query('UPDATE tested.runs SET started_at = $1, finished_at = $1', [clock.now().toString()]);
    clock.pass({ seconds: 30 });
    for (let times = 0; times < 2; times++) expect(await sweep()).toBe('ended');
    expect(ended, 'it pauses').toEqual([undefined]);
    const lines = (wanted: string) => logged.filter((message) => message === wanted).length;
    expect(lines('shop paused after failures')).toBe(1);

    registry.configure([shop]);
    // Time is up after the first window: the rest goes on later.
    expect(await sweep({ budgetMs: 0 })).toBe('unfinished');
    expect(await sweep()).toBe('ended');
    expect(ended).toEqual([undefined, expect.any(String), 'ok']);
    const told = lines('sweep ended');
    expect(told, 'what found orders is logged').toBeGreaterThan(0);
    clock.pass({ minutes: 2 });
    expect(await sweep()).toBe('ended');
    expect([lines('sweep ended'), ended.pop()], 'what found nothing is not').toEqual([told, 'ok']);
    simulator.shop.deleteOrder(simulator.shop.orders().at(-1)?.orderId ?? 0);
    clock.pass({ hours: 25 });
    expect(await sweep()).toBe('ended');
    expect([lines('sweep ended'), ended.pop()], 'what misses an order is').toEqual([told + 1, 'ok']);
    expect(await sweepJob(deps, 'elsewhere', running), 'a shop of another worker').toBe('ended');

    await client.query('UPDATE tested.runs SET started_at = $1', [clock.now().toString()]);
    clock.pass({ hours: 25 });
    registry.configure([{ ...shop, apiKey: 'wrong again' }]);
    expect(await sweep()).toBe('ended');
    await client.query(`UPDATE tested.runs SET started_at = $1, finished_at = $1 WHERE started_at > $1`, [
      clock.now().toString(),
    ]);
    clock.pass({ seconds: 30 });
    expect(await sweep()).toBe('ended');
    expect([ended.pop(), lines('shop paused after failures')], 'as many failures after a success').toEqual([
      undefined,
      2,
    ]);

    registry.configure([shop]);
    const stopping = AbortSignal.abort(new Error('stopped'));
    expect(await sweep({ stopping }), 'another worker takes over').toBe('interrupted');
    expect(ended, 'and it is no failure').toHaveLength(3);

    await client.query('ALTER TABLE ops.leases RENAME TO leases_elsewhere');
    await expect(sweep(), 'not the fault of the shop').rejects.toThrow('Failed query');
    expect(ended).toHaveLength(3);
    await client.query('ALTER TABLE ops.leases_elsewhere RENAME TO leases');
  });
});

test('a worker logs each pause of a shop once, and a new one after a sweep of another worker failed', async () => {
  await using simulator = await startSimulator({ orders: 2, days: 1, now: PRESENT });
  await inOwnWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const registry = new ShopRegistry(quiet, clock.now);
    registry.configure([{ ...impatientShop(simulator.url), apiKey: 'wrong' }]);
    const pauses: object[] = [];
    const info = (fields: object) => void pauses.push(fields);
    const common = { db, registry, now: clock.now, count: () => undefined };
    const [one, other] = [sweepJobDeps({ ...common, logger: { ...quiet, info } }), sweepJobDeps(common)];
    for (let failures = 1; failures <= 2; failures++) {
      await sweepJob(other, 'test', running);
      // Runs are recorded by the real clock; here they are of the test's.
      await client.query('UPDATE tested.runs SET started_at = $1, finished_at = $1 WHERE finished_at > $1', [
        clock.now().toString(),
      ]);
      for (let ticks = 0; ticks < 2; ticks++) {
        clock.pass({ seconds: 20 });
        await sweepJob(one, 'test', running);
      }
      clock.pass({ seconds: 20 });
    }
    expect(pauses).toEqual([
      { shop: 'test', failures: 1, until: '2026-03-10T12:01:00Z' },
      { shop: 'test', failures: 2, until: '2026-03-10T12:03:00Z' },
    ]);
  });
});

test('a sweep whose lease another process took over ends like one that failed, and its job is not tried again', async () => {
  await using simulator = await startSimulator({ orders: 20, days: 5, now: PRESENT });
  await inOwnWarehouse(async ({ client, db }) => {
    const registry = new ShopRegistry(quiet, testClock(PRESENT).now);
    registry.configure([impatientShop(simulator.url)]);
    const ended: unknown[] = [];
    const logged: object[] = [];
    const deps = sweepJobDeps({
      db,
      registry,
      logger: { ...quiet, warn: (fields) => void logged.push(fields) },
      now: testClock(PRESENT).now,
      count: (_shop, result) => void ended.push(result),
    });
    const takeOver = async () =>
      void (await client.query(`UPDATE ops.leases SET epoch = epoch + 1, holder = 'another' WHERE shop_id = (
        SELECT shop_id FROM tested.shops)`));
    const off = simulator.requests.onRequest(({ route }) => (route === 'orders' ? takeOver() : undefined));
    expect(await sweepJob(deps, 'test', running)).toBe('ended');
    off();
    expect(ended).toEqual([undefined]);
    expect(logged).toEqual([{ shop: 'test', reason: expect.stringContaining('another process took over') }]);
  });
});

test('a worker waits for the lease of one that died elsewhere, as long as it may last', async () => {
  await using simulator = await startSimulator({ orders: 5, days: 2, now: PRESENT });
  await inOwnWarehouse(async ({ client, db }) => {
    const registry = new ShopRegistry(quiet, testClock(PRESENT).now);
    registry.configure([impatientShop(simulator.url)]);
    const ended: (string | undefined)[] = [];
    const count: SweepJobDeps['count'] = (_shop, result) => void ended.push(result?.status);
    const deps = sweepJobDeps({ db, registry, now: testClock(PRESENT).now, count });
    expect(await sweepJob(deps, 'test', running)).toBe('ended');
    await client.query(
      `UPDATE tested.leases SET holder = 'elsewhere:7', expires_at = now() + interval '5 seconds'`,
    );
    expect(await sweepJob(deps, 'test', running)).toBe('ended');
    expect(ended).toEqual(['ok', 'ok']);
  });
});

test('a day that cannot be verified is not tried at every tick', async () => {
  await using simulator = await startSimulator({ orders: 20, days: 5, now: PRESENT });
  const [, order] = simulator.shop.orders();
  simulator.shop.setRaw(order?.orderId ?? 0, { order_id: 'none' });
  await inOwnWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const registry = new ShopRegistry(quiet, clock.now);
    registry.configure([impatientShop(simulator.url)]);
    const deps = sweepJobDeps({ db, registry, logger: quiet, now: clock.now, count: () => undefined });
    const tries = async () => {
      expect(await sweepJob(deps, 'test', running)).toBe('ended');
      return (await client.query('SELECT max(attempts)::int AS tries FROM tested.days')).rows[0]?.['tries'];
    };
    const seen: unknown[] = [await tries()];
    for (const seconds of [10, 10, 41]) {
      clock.pass({ seconds });
      seen.push(await tries());
    }
    expect(seen).toEqual([1, 1, 1, 2]);
  });
});
