/** What the counts of a comparison may cost. */
import { expect, test } from 'vitest';

import { startSimulator } from '../../../../src/simulator/server.ts';
import { CountAsker } from '../../../../src/sync/sweep/counts/count-asker.ts';
import { apiOf, NOW } from '../../../shop-api/api-of.ts';

const DAY = Temporal.PlainDate.from('2026-03-15');
const YEAR = { from: DAY.subtract({ years: 1 }), to: DAY };
const { signal } = new AbortController();

test('counts stop at the allowed number, and those not requested have no result', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 4, now: NOW });
  const asker = new CountAsker({ api: apiOf(simulator), signal }, 3);
  const asked = Array.from({ length: 5 }, () => asker.ask({ by: 'all' }, YEAR));
  const answers = await Promise.all(asked);
  expect(answers.filter((orders) => orders === 40)).toHaveLength(3);
  expect(answers.filter((orders) => orders === undefined)).toHaveLength(2);
  expect([asker.left, asker.isDone, simulator.requests.count('orders')]).toEqual([0, true, 3]);
});

test('counting stops after two failures', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 4, now: NOW });
  const asker = new CountAsker({ api: apiOf(simulator), signal }, 10);
  simulator.faults.failNext(Infinity, 'html-200', { route: 'orders' });
  const facets = [{ by: 'all' }, { by: 'status', code: 'A' }, { by: 'status', code: 'F' }] as const;
  for (const facet of facets) expect(await asker.ask(facet, YEAR)).toBeUndefined();
  expect([...asker.failures.keys()]).toEqual(facets.slice(0, 2));
  expect([asker.left, asker.isDone]).toEqual([8, true]);
});

test.each(['absent', 'stale'] as const)(
  'if orders are listed and the total is %s, the count is unknown, not zero',
  async (total) => {
    await using simulator = await startSimulator({ orders: 0, days: 4, now: NOW });
    // Before there was any.
    simulator.shop.setDialect({ total });
    simulator.shop.insertOrder({ createdLocal: DAY.toPlainDateTime('09:00') });
    const asker = new CountAsker({ api: apiOf(simulator), signal }, 10);
    expect(await asker.ask({ by: 'all' }, YEAR)).toBeUndefined();
    expect([...asker.failures.values()]).toEqual(['the answer has no count of the orders']);
  },
);
