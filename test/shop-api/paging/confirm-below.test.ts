/** The beginning of a day is only proven by a list that reaches as far up as the rest of the day begins. */
import { expect, test } from 'vitest';

import { confirmBelow } from '../../../src/shop-api/paging/confirm-below.ts';
import { FakeShop, secondsOf } from './fake-shop.ts';
import { asked, knownAt, local, pagingDeps } from './read-one.ts';

const DAY = asked('2026-03-05T00:00', '2026-03-06T00:00');
const TIMES = ['2026-03-05T08:00:10', '2026-03-05T08:00:20', '2026-03-05T08:00:25', '2026-03-05T14:00'];
const LATE = '2026-03-05T08:00:45';

/** The day, of which an answer proves all but its first hours, where the warehouse knows an order of the day before. */
async function confirm(shop: FakeShop) {
  const { rows } = await new FakeShop(
    TIMES.map((time, index) => ({ id: index + 1, created: secondsOf(time) })),
  ).listOrders({});
  const part = { from: local('2026-03-05T08:01'), to: DAY.window.to };
  const deps = { ...pagingDeps(shop), known: knownAt('2026-03-04T20:00') };
  return confirmBelow(deps, DAY, part, rows);
}

test.each([
  [0, 4],
  // A filter whose dates end within the first minute shows the three orders that are known there, and not the fourth.
  [-(6 * 3600 + 30) / 3600, undefined],
])('by a filter that is %f hours off, %s orders are confirmed', async (shiftHours, confirmed) => {
  const times = ['2026-03-04T20:00', ...TIMES, ...(shiftHours === 0 ? [] : [LATE])];
  const shop = new FakeShop(
    times.map((time, index) => ({ id: index, created: secondsOf(time) })),
    { shiftHours },
  );
  const found = await confirm(shop);
  expect(found?.length).toBe(confirmed && confirmed + 1);
});

test('where the orders of the day come alone, what is older is asked for however far below', async () => {
  const shop = new FakeShop(TIMES.map((time, index) => ({ id: index + 1, created: secondsOf(time) })));
  expect(await confirm(shop)).toHaveLength(4);
  expect(shop.queries.map(({ dateFrom }) => dateFrom?.toString() ?? 'any')).toContain('any');
});

test('where another look shows fewer orders of the day, or more, it is to be read again', async () => {
  const [older, ...day] = ['2026-03-04T20:00', ...TIMES].map((time, id) => ({
    id,
    created: secondsOf(time),
  }));
  if (older === undefined) throw new Error('no order');
  const early = { id: 9, created: secondsOf('2026-03-05T02:00') };
  expect(await confirm(new FakeShop([older, ...day]))).toHaveLength(5);
  expect(await confirm(new FakeShop([older, ...day.slice(1)]))).toBeUndefined();
  expect(await confirm(new FakeShop([older, early, ...day]))).toBeUndefined();
});
