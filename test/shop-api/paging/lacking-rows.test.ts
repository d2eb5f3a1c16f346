/** An order that lists of other days show, and the list of its own day lacks. */
import { expect, test } from 'vitest';

import { type PageProfile, unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { isBefore } from '../../../src/model/window.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { readAll } from './read-all.ts';
import { local } from './read-one.ts';

const FIRST = Temporal.PlainDate.from('2026-02-10');
const DAYS = Array.from({ length: 40 }, (_, days) => FIRST.add({ days }).toString());
const ORDERS = DAYS.flatMap((day, index): readonly FakeOrder[] =>
  ['08:00', '12:00', '20:00'].map((time, at) => ({
    id: 1000 + index * 10 + at,
    created: secondsOf(`${day}T${time}`),
  })),
);
const OPTIONS = {
  from: DAYS[0] ?? '',
  to: DAYS.at(-1) ?? '',
  profile: unknownProfile(4),
  expected: new Map(DAYS.map((day) => [day, 3])),
};
const ODD = { id: 2000, created: secondsOf('2026-03-08T23:00') };

test('an order that only the lists of other days show is told with the window that lacks it', async () => {
  const [whole, lacking] = [new FakeShop([...ORDERS, ODD], {}), new FakeShop(ORDERS, {})];
  const listOrders: typeof whole.listOrders = async (query, ...others) => {
    const isOfNext = query.dateFrom !== undefined && !isBefore(query.dateFrom, local('2026-03-06T00:00'));
    return (isOfNext ? whole : lacking).listOrders(query, ...others);
  };
  const { readings } = await readAll({ listOrders }, OPTIONS);
  expect(readings.length).toBeGreaterThan(3);
  const told = readings.map((reading) => [
    reading.window.to.toPlainDate().toString(),
    reading.kind === 'whole' ? reading.lacking?.map(({ orderId }) => orderId) : reading.kind,
  ]);
  // It was placed late on the day before: the list of the days after it begins with the orders before them.
  expect(told.filter(([, lack]) => lack !== undefined)).toEqual([['2026-03-09', [String(ODD.id)]]]);
});

test('where days lack orders, it is found out that dates select by the last change, though few orders say when that was', async () => {
  // Days from the creation of an order to its last change; the others were never changed, and say nothing.
  const changed = new Map([
    [1000, 60],
    [1122, 15],
  ]);
  const orders = ORDERS.map(({ id, created }) => {
    return { id, created, updated: created + (changed.get(id) ?? 0) * 86_400 };
  });
  const shop = new FakeShop(orders, { filter: 'updated', sort: 'asc' });
  const listOrders: typeof shop.listOrders = async (query) => {
    const page = await shop.listOrders(query);
    const rows = page.rows.map(({ orderId, raw }) => {
      return { orderId, raw: changed.has(Number(orderId)) ? raw : { ...raw, updated: '' } };
    });
    return { ...page, rows };
  };
  await expect(readAll({ listOrders }, OPTIONS)).rejects.toThrow(/date of their last change/);
});

test.each<[string, Partial<PageProfile>, FakeTraits]>([
  ['ends its lists at a position', { endsAt: 30 }, { endsAt: 30 }],
  ['shows its last days without dates', { isUndatedPartial: true }, { undatedDays: 20 }],
])(
  'a shop that %s is found to select by the last change, though no list says what its day lacks',
  async (_what, known, traits) => {
    // Two orders were changed after months, which only the list without dates shows.
    const days = new Map([
      [1381, 60],
      [1390, 90],
    ]);
    const orders = ORDERS.map(({ id, created }) => {
      return { id, created, updated: created + (days.get(id) ?? 0) * 86_400 };
    });
    const shop = new FakeShop(orders, { filter: 'updated', ...traits });
    const options = { ...OPTIONS, expected: new Map(), profile: { ...unknownProfile(10), ...known } };
    await expect(readAll(shop, options)).rejects.toThrow(/date of their last change/);
  },
);
