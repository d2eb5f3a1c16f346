import { expect, test } from 'vitest';

import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { FakeShop, secondsOf } from './fake-shop.ts';
import { asked, knownAt, readOne } from './read-one.ts';

const FIRST = secondsOf('2026-02-20T00:30');
/** Forty orders, one every six hours. */
const ORDERS = Array.from({ length: 40 }, (_, index) => ({
  id: 1000 + index,
  created: FIRST + index * 21_600,
}));
const SINCE = asked('2026-02-22T00:00', undefined);
const KNOWN = knownAt('2026-02-20T18:30', '2026-02-21T12:30', '2026-02-21T18:30');

test('between audits, a page as long as its total is no whole list where a list of that length hid orders before', async () => {
  const shop = new FakeShop(ORDERS, { sort: 'asc', endsAt: 25, total: 'served' });
  const kindOf = async (endsAt: number) =>
    (await readOne(shop, SINCE, KNOWN, { ...unknownProfile(500), endsAt })).kind;
  expect([await kindOf(24), await kindOf(25)]).toEqual(['whole', 'cut']);
});

test.each([1, 3])(
  'a total of all orders does not make a list look cut where %i answers about fewer of them are empty by mistake',
  async (mistakes) => {
    const shop = new FakeShop(ORDERS, { sort: 'shuffled', total: 'all' });
    let emptied = 0;
    const listOrders: typeof shop.listOrders = async (query) => {
      const page = await shop.listOrders(query);
      const isNarrow = query.dateFrom !== undefined && query.dateTo !== undefined;
      if (!isNarrow || emptied >= mistakes) return page;
      emptied += 1;
      return { ...page, rows: [], keys: [], received: 0, total: 0 };
    };
    const reading = await readOne({ listOrders }, SINCE, KNOWN);
    expect(emptied).toBe(mistakes);
    expect(reading).toMatchObject({ kind: 'whole', rows: { length: 32 } });
  },
);
