/** Orders that a descending list shows with a date and without a time: they are any time of their day, wherever they are listed. */
import { expect, test } from 'vitest';

import { createdMinute } from '../../../src/normalize/order.ts';
import { addWindow, type DayProgress } from '../../../src/plan/days/day-progress.ts';
import type { ListRow } from '../../../src/shop-api/endpoints/list-orders.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import { Random } from '../../../src/simulator/shop/random.ts';
import { readWindows } from '../../../src/sync/sweep/orders/read-windows.ts';
import { SeenOrders } from '../../../src/sync/sweep/orders/seen-orders.ts';
import { IS_LONG } from '../../support/long.ts';
import { type FakeOrder, FakeShop, secondsOf } from './fake-shop.ts';

const SHOP = { timezone: 'Europe/Berlin' };
const FIRST = secondsOf('2026-03-08T00:00');
const DAY = 86_400;
const WINDOW = {
  from: Temporal.PlainDateTime.from('2026-03-08T00:00'),
  to: Temporal.PlainDateTime.from('2026-03-11T00:00'),
};
const TODAY = Temporal.PlainDate.from('2026-03-11');
const RUNS = IS_LONG ? 2000 : 150;

const dayOf = ({ raw }: ListRow) => String(createdMinute(raw, SHOP)?.toPlainDate());

/** Some of its orders have no time, and others are placed while it is read, most of them around midnight. */
function restlessShop(random: Random): { shop: FakeShop; timeless: ReadonlySet<string> } {
  const timeless = new Set<string>();
  let nextId = 1000;
  const place = (): FakeOrder => {
    const id = nextId++;
    if (random.chance(0.1)) timeless.add(String(id));
    const around = random.between(1, 3) * DAY + random.between(-300, 300);
    return { id, created: FIRST + random.pick([random.below(4 * DAY), DAY + random.below(DAY), around]) };
  };
  const drift = random.pick([0, 0.1, 0.2]);
  const shop = new FakeShop(Array.from({ length: random.between(5, 40) }, place), {
    cap: random.pick([3, 5, 10, 500]),
    total: random.pick(['matches', 'all', 'absent'] as const),
    before: (own) => {
      if (own.requests < 60 && random.chance(drift)) own.insert(place());
    },
    mostRequests: 1000,
  });
  return { shop, timeless };
}

/** What the shop lists, without the times that are not known. */
function withoutTimes(shop: FakeShop, timeless: ReadonlySet<string>): Pick<ShopApi, 'listOrders'> {
  const strip = (row: ListRow): ListRow => {
    return timeless.has(row.orderId) ? { ...row, raw: { ...row.raw, time: '' } } : row;
  };
  return {
    async listOrders(query) {
      const page = await shop.listOrders(query);
      return { ...page, rows: page.rows.map(strip) };
    },
  };
}

test('no order is lost from a verified day, whether or not it says at which time it was placed', async () => {
  let days = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const { shop, timeless } = restlessShop(new Random('all day', seed));
    const before = shop.orders;
    const seen = new SeenOrders(SHOP);
    const now = () => Temporal.Instant.from('2026-03-20T00:00:00Z');
    const api = withoutTimes(shop, timeless);
    const deps = { api, book: { profile: unknownProfile(500) }, shop: SHOP };
    const [read, unresolved] = [new Set<string>(), new Set<string>()];
    let progress: DayProgress = new Map();
    const readings = readWindows({ ...deps, now, seen }, { window: WINDOW, days: [] }, TODAY, () => true);
    for await (const reading of readings) {
      if (reading.kind !== 'whole') continue;
      const { omitted = [], rows } = reading;
      for (const row of omitted) unresolved.add(dayOf(row));
      for (const { orderId } of rows) read.add(orderId);
      const ordersByDay = new Map(
        [...Map.groupBy(rows, dayOf)].map(([day, { length }]): [string, number] => [day, length]),
      );
      const added = addWindow(progress, { ...reading, ordersByDay }, new Set(), TODAY);
      progress = added.progress;
      for (const { day } of added.whole.filter(({ day }) => !unresolved.has(day))) {
        days++;
        const start = secondsOf(`${day}T00:00`);
        const lost = before.filter(({ created }) => created >= start && created < start + DAY);
        expect(
          lost.flatMap(({ id }) => (read.has(String(id)) ? [] : [id])),
          `seed ${seed}, ${day}`,
        ).toEqual([]);
      }
    }
  }
  expect(days).toBeGreaterThan(2 * RUNS);
});
