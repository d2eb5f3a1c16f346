/** A shop that is stopped and started again is the same shop: a copy of it must not see its orders vanish. */
import { expect, test } from 'vitest';

import { makeSimulator, startSimulator } from '../../../src/simulator/server.ts';
import { truthRecord } from '../../../src/simulator/api/admin.ts';
import { NOW } from '../client.ts';

const EVERY_MS = 5_000;
const SETTINGS = { orders: 60, days: 20, tickEveryMs: EVERY_MS, since: NOW };

const atSecond = (seconds: number) => NOW.add({ seconds });

/** The shop after it was looked at, and so changed, at these seconds after its beginning. */
function runUntil(...seconds: readonly number[]) {
  const { shop } = makeSimulator(SETTINGS);
  for (const second of seconds) shop.catchUp(EVERY_MS, atSecond(second));
  return shop.orders().map(truthRecord);
}

test('it makes no difference when the ticks that are due are run', () => {
  const asItRan = runUntil(5, 10, 16, 21, 60);
  expect(asItRan).toHaveLength(60 + 12);
  expect(runUntil(60)).toEqual(asItRan);
  expect(runUntil(64)).toEqual(asItRan);
  expect(runUntil(65)).not.toEqual(asItRan);
});

test('orders of later ticks are new ones, and none of the earlier goes or moves', () => {
  const created = (orders: ReturnType<typeof runUntil>) =>
    new Map(orders.map((order) => [order['orderId'], order['createdLocal']]));
  const [before, after] = [created(runUntil(600)), created(runUntil(1_200))];
  expect(after.size).toBe(before.size + 120);
  for (const [id, time] of before) expect(after.get(id)).toBe(time);
});

test('a live shop that began earlier starts with all that happened since', async () => {
  const since = Temporal.Now.instant().subtract({ hours: 10, minutes: 30 });
  await using sim = await startSimulator({ ...SETTINGS, tickEveryMs: 3_600_000, since });
  expect(sim.shop.orders()).toHaveLength(60 + 10);
});
