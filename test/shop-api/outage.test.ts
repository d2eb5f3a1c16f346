import { expect, test } from 'vitest';

import { makeShopInProcess } from '../support/in-process-shop.ts';
import { apiOf, NOW } from './api-of.ts';
import { simulatedClock } from './simulated-clock.ts';

const TEN_MINUTES_MS = 600_000;
/** Requests per second that the readers want to make. */
const RATE = 2;
const READERS = 32;
const MAX_CONCURRENCY = 16;

test('a ten-minute outage costs less than a tenth of the usual requests, fails none, and is over within 200', async () => {
  await using sim = makeShopInProcess({ orders: 20, now: NOW });
  const clock = simulatedClock();
  const api = apiOf(sim, { clock, maxConcurrency: MAX_CONCURRENCY, retry: {} });
  const ids = sim.shop.orders().map(({ orderId }) => String(orderId));
  const figures = { healthy: 0, outage: 0, probes: 0, lowest: 0, untilOver: 0 };
  const readers = { areDone: false };
  const read = (reader: number) => async () => {
    // Readers take turns.
    await clock.sleep((reader * 1000) / RATE);
    while (!readers.areDone) {
      await api.orderContent(ids[reader % ids.length] ?? '');
      await clock.sleep((READERS * 1000) / RATE);
    }
  };
  const direct = async () => {
    await clock.sleep(TEN_MINUTES_MS);
    figures.healthy = sim.requests.count();
    expect(api.health.circuit).toBe('closed');
    sim.faults.failNext(Infinity, 'http-502');
    await clock.sleep(TEN_MINUTES_MS);
    sim.faults.clear();
    figures.outage = sim.requests.count() - figures.healthy;
    Object.assign(figures, { probes: api.health.probes, lowest: api.health.lowestConcurrency });
    expect(api.health.circuit).not.toBe('closed');
    const before = sim.requests.count();
    while (api.health.circuit !== 'closed') await clock.sleep(250);
    figures.untilOver = sim.requests.count() - before;
    readers.areDone = true;
  };
  await clock.run([direct, ...Array.from({ length: READERS }, (_, reader) => read(reader))]);
  process.stdout.write(`ten-minute outage, in requests: ${JSON.stringify(figures)}\n`);
  expect(figures.healthy).toBeGreaterThan(0.99 * RATE * 600);
  expect(figures.outage).toBeLessThan(0.1 * figures.healthy);
  expect(figures.probes).toBeGreaterThan(8);
  expect(figures.lowest).toBe(1);
  expect(figures.untilOver).toBeLessThanOrEqual(200);
});
