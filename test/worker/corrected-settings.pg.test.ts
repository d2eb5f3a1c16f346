import { pino } from 'pino';
import { expect, test } from 'vitest';

import { ShopRegistry } from '../../src/worker/shop-registry.ts';
import { sweepJob } from '../../src/worker/sweep-job.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { impatientShop, sweepJobDeps } from '../support/impatient-shop.ts';
import { inOwnWarehouse, OF_TEST_SHOP, testClock } from '../support/sweep.ts';
import { until } from '../support/until.ts';
import { startWorker } from './running-worker.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };
const running = new AbortController().signal;

test('a shop that is added to a running worker is swept at once', async () => {
  await using simulator = await startSimulator({ orders: 3, days: 1 });
  await inOwnWarehouse(async ({ client, db, url }) => {
    const logger = pino({ level: 'silent' });
    const registry = new ShopRegistry(logger);
    // No tick comes while the test lasts.
    await using _worker = await startWorker({ db, databaseUrl: url, registry, logger, cron: '0 0 1 1 *' });
    registry.configure([impatientShop(simulator.url)]);
    const loaded = async () =>
      (await client.query(`SELECT FROM core.orders WHERE ${OF_TEST_SHOP}`)).rows.length;
    await until('its three orders are loaded', async () => (await loaded()) === 3);
  });
});

test.each([
  ['the key', { apiKey: 'a wrong one' }],
  ['the address', { baseUrl: 'http://127.0.0.1:1' }],
])('after %s of a shop was corrected, an old pause after failures delays nothing', async (_what, wrong) => {
  await using simulator = await startSimulator({ orders: 8, days: 2, now: PRESENT });
  await inOwnWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const registry = new ShopRegistry(quiet, clock.now);
    const ended: (string | undefined)[] = [];
    const deps = sweepJobDeps({
      db,
      registry,
      now: clock.now,
      count: (_shop, result) => ended.push(result?.status),
    });
    const sweep = async () => {
      await sweepJob(deps, 'test', running);
      // Runs are recorded by the real clock; here they are of the test's.
      await client.query(
        `UPDATE ops.runs SET started_at = $1, finished_at = $1 WHERE ${OF_TEST_SHOP} AND finished_at > $1`,
        [clock.now().toString()],
      );
    };
    const [right, bad] = [impatientShop(simulator.url), { ...impatientShop(simulator.url), ...wrong }];
    registry.configure([bad]);
    await sweep();
    expect(ended).toEqual([undefined]);
    clock.pass({ seconds: 10 });
    // Read again as they were, they are no others.
    registry.configure([{ ...bad }]);
    await sweep();
    expect(ended).toEqual([undefined]);
    clock.pass({ seconds: 10 });
    registry.configure([right]);
    await sweep();
    expect(ended).toEqual([undefined, 'ok']);
  });
});
