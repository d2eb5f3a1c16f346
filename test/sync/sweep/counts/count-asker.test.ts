/** What the counts of a comparison may cost. */
import { expect, test } from 'vitest';

import { startSimulator } from '../../../../src/simulator/server.ts';
import { CountAsker } from '../../../../src/sync/sweep/counts/follow-facet.ts';
import { apiOf, NOW } from '../../../shop-api/api-of.ts';

const day = Temporal.PlainDate.from('2026-03-15');
const FIRST = { day, since: day, verifiedAt: undefined, orders: undefined };
const YEAR_AGO = { ...FIRST, since: day.subtract({ years: 1 }) };
const { signal } = new AbortController();

test('no more is counted than may be, and what was not asked for has no answer, nor a reason', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 4, now: NOW });
  const asker = new CountAsker({ api: apiOf(simulator), signal }, 3);
  const asked = Array.from({ length: 5 }, () => asker.ask({ by: 'all' }, YEAR_AGO, FIRST, true));
  const answers = await Promise.all(asked);
  expect(answers.filter(({ orders }) => orders === 40)).toHaveLength(3);
  expect(answers.filter(({ orders }) => orders === undefined)).toEqual([
    { reason: undefined },
    { reason: undefined },
  ]);
  expect([asker.left, asker.isDone, simulator.requests.count('orders')]).toEqual([0, true, 3]);
});

test('where there should be some, none is asked for again; two failures are the last', async () => {
  await using simulator = await startSimulator({ orders: 40, days: 4, now: NOW });
  const asker = new CountAsker({ api: apiOf(simulator), signal }, 10);
  const none = { ...FIRST, since: day.subtract({ years: 9 }), day: day.subtract({ years: 8 }) };
  expect(await asker.ask({ by: 'all' }, none, none, true)).toEqual({ orders: 0 });
  expect(asker.left).toBe(8);
  expect(await asker.ask({ by: 'all' }, none, none, false)).toEqual({ orders: 0 });
  expect([asker.left, simulator.requests.count('orders')]).toEqual([7, 3]);
  simulator.faults.failNext(Infinity, 'html-200', { route: 'orders' });
  for (let failures = 0; failures < 2; failures++) {
    const answer = await asker.ask({ by: 'all' }, YEAR_AGO, FIRST, true);
    expect(answer).toEqual({ reason: expect.stringMatching(/./) });
  }
  expect([asker.left, asker.isDone]).toEqual([5, true]);
});

test.each(['absent', 'stale'] as const)(
  'where orders are listed and the total is %s, there is no answer, rather than none of them',
  async (total) => {
    await using simulator = await startSimulator({ orders: 0, days: 4, now: NOW });
    // Before there was any.
    simulator.shop.setDialect({ total });
    simulator.shop.insertOrder({ createdLocal: day.toPlainDateTime('09:00') });
    const asker = new CountAsker({ api: apiOf(simulator), signal }, 10);
    expect(await asker.ask({ by: 'all' }, YEAR_AGO, FIRST, false)).toEqual({
      reason: 'the answer holds no count of its orders',
    });
  },
);
