/** What the counts of a comparison may cost. */
import { expect, test } from 'vitest';

import { startSimulator } from '../../../../src/simulator/server.ts';
import { CountAsker } from '../../../../src/sync/sweep/counts/count-asker.ts';
import { apiOf, NOW } from '../../../shop-api/api-of.ts';

const DAY = Temporal.PlainDate.from('2026-03-15');
const YEAR = { from: DAY.subtract({ years: 1 }), to: DAY };
const { signal } = new AbortController();
const never = () => expect.unreachable('no count fails');

test('no more is counted than may be, and what was not asked for has no answer', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 4, now: NOW });
  const asker = new CountAsker({ api: apiOf(simulator), signal }, 3, never);
  const asked = Array.from({ length: 5 }, () => asker.ask({ by: 'all' }, YEAR, 40));
  const answers = await Promise.all(asked);
  expect(answers.filter((orders) => orders === 40)).toHaveLength(3);
  expect(answers.filter((orders) => orders === undefined)).toHaveLength(2);
  expect([asker.left, asker.isDone, simulator.requests.count('orders')]).toEqual([0, true, 3]);
});

test('where there should be some, none is asked for again; two failures are the last', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 4, now: NOW });
  const reasons: string[] = [];
  const asker = new CountAsker({ api: apiOf(simulator), signal }, 10, (_, reason) => reasons.push(reason));
  const none = { from: DAY.subtract({ years: 9 }), to: DAY.subtract({ years: 8 }) };
  expect(await asker.ask({ by: 'all' }, none, 3)).toBe(0);
  expect(asker.left).toBe(8);
  expect(await asker.ask({ by: 'all' }, none, 0)).toBe(0);
  expect([asker.left, simulator.requests.count('orders')]).toEqual([7, 3]);
  simulator.faults.failNext(Infinity, 'html-200', { route: 'orders' });
  for (let failures = 0; failures < 2; failures++)
    expect(await asker.ask({ by: 'all' }, YEAR, 40)).toBeUndefined();
  expect(reasons).toHaveLength(2);
  expect([asker.left, asker.isDone]).toEqual([5, true]);
});

test.each(['absent', 'stale'] as const)(
  'where orders are listed and the total is %s, there is no answer, rather than none of them',
  async (total) => {
    await using simulator = await startSimulator({ orders: 0, days: 4, now: NOW });
    // Before there was any.
    simulator.shop.setDialect({ total });
    simulator.shop.insertOrder({ createdLocal: DAY.toPlainDateTime('09:00') });
    const reasons: string[] = [];
    const asker = new CountAsker({ api: apiOf(simulator), signal }, 10, (_, reason) => reasons.push(reason));
    expect(await asker.ask({ by: 'all' }, YEAR, 0)).toBeUndefined();
    expect(reasons).toEqual(['the answer holds no count of its orders']);
  },
);
