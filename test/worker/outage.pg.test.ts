import { expect } from 'vitest';

import { test } from '../support/fixtures.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { processAlerts } from '../../src/worker/alerts/deliver-alerts.ts';
import { WELL } from './ops-sources.ts';
import { createSources } from '../../src/worker/ops-sources.ts';
import { startOpsServer } from '../../src/worker/ops-server.ts';
import { findShop } from '../../src/warehouse/directory/registered-shops.ts';
import { pauseShop } from '../../src/warehouse/directory/shop-life.ts';
import { readFailures } from '../../src/warehouse/reports/alert-facts.ts';
import { impatientShop, registryOf, sweepJobDeps, workerOfTicks } from '../support/impatient-shop.ts';
import { testClock } from '../support/sweep.ts';
import { differences } from '../support/truth.ts';

const TICK = { minutes: 5 };
const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');
const running = new AbortController().signal;

test('a shop that is down for an hour gets fewer and fewer requests, is reported once, and recovers by itself', async ({
  own: { client, db },
}) => {
  await using simulator = await startSimulator({ orders: 40, days: 10, now: PRESENT });
  const clock = testClock(PRESENT);
  const registry = registryOf(impatientShop(simulator.url));
  const { metrics } = createSources({ db, now: clock.now, shopKeys: () => ['test'] });
  await using ops = await startOpsServer({ port: 0, freshMs: 0 }, { ...WELL, metrics: metrics.render });
  const get = (path: string) => fetch(`http://127.0.0.1:${ops.port}${path}`);
  const alerts: string[] = [];
  const ended: (string | undefined)[] = [];
  const deps = sweepJobDeps({
    db,
    registry,
    now: clock.now,
    count: (shop, result) => {
      ended.push(result?.status);
      metrics.countSweep(shop, result);
    },
  });
  const worker = workerOfTicks(deps);
  const tick = async () => {
    clock.pass(TICK);
    await worker.tick();
    await processAlerts({
      ...deps,
      webhook: async ({ cause, event }) => void alerts.push(`${cause} ${event}`),
      signal: running,
    });
  };
  /** The books are written by the real clock; here they are of the test's. */
  const dateBack = () =>
    client.query(`UPDATE tested.runs SET finished_at = $1 WHERE finished_at > $1`, [clock.now().toString()]);

  await tick();
  await dateBack();
  expect(ended).toEqual(['ok']);
  const ages: number[] = [];
  simulator.faults.failNext(1_000_000, 'http-500');
  simulator.requests.reset();
  for (let minutes = 0; minutes < 60; minutes += TICK.minutes) {
    await tick();
    await dateBack();
    // Another tick at once finds a pause.
    expect(await worker.tick()).toBe('waits');
    expect((await get('/livez')).status).toBe(200);
    const age = /^order_sync_seconds_since_complete\{shop="test"\} (\d+)/m.exec(
      await (await get('/metrics')).text(),
    );
    ages.push(Number(age?.[1]) / 60);
  }
  const failed = ended.filter((status) => status === undefined).length;
  process.stdout.write(
    `an hour away: ${failed} sweeps of 12 ticks, ${simulator.requests.count()} requests\n`,
  );
  expect(failed).toBeGreaterThanOrEqual(4);
  expect(failed).toBeLessThan(12);
  expect(simulator.requests.count()).toBeLessThan(failed * 30);
  expect(ages).toEqual(Array.from({ length: 12 }, (_, ticks) => (ticks + 1) * TICK.minutes));
  expect(await (await get('/metrics')).text()).toContain(
    `order_sync_sweeps_total{shop="test",status="failed"} ${failed}`,
  );

  simulator.faults.clear();
  simulator.shop.insertOrder();
  for (let ticks = 0; ticks < 3; ticks++) await tick();
  expect(ended.at(-1)).toBe('ok');
  expect(await differences(client, simulator.shop)).toEqual([]);
  expect(alerts).toEqual(['failing raised', 'stale raised', 'failing recovered', 'stale recovered']);
  // The client is still the first one: nothing was restarted.
  expect(registry.find('test')?.api.health.circuit).toBe('closed');

  // Paused, it goes stale, and nobody hears of it.
  await pauseShop(db, (await findShop(db, 'test'))?.shopId ?? 0);
  const [sweeps, told] = [ended.length, alerts.length];
  for (let minutes = 0; minutes < 90; minutes += TICK.minutes) await tick();
  expect({ sweeps: ended.length, told: alerts.length }).toEqual({ sweeps, told });
  expect(await (await get('/metrics')).text()).not.toContain('order_sync_seconds_since_complete{');
});

test('a shop that never failed has no pause, however finely the clock ticks', async ({
  own: { client, db },
}) => {
  const finer = PRESENT.add({ nanoseconds: 499 });
  await client.query(
    `INSERT INTO tested.shops (shop_key, base_url, timezone) VALUES ('test', 'https://shop.example', 'UTC')`,
  );
  expect(await readFailures(db, 'test', finer)).toBe(0);
});
