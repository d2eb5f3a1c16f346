import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { DEFAULT_FRESHNESS, freshnessTargetMs, parseFreshness } from '../../../src/plan/days/freshness.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { firstState } from '../../../src/sync/run/shop-state.ts';
import { updateShopState } from '../../../src/warehouse/ops/stored-shop-state.ts';
import { days } from '../../../src/warehouse/schema/ops.ts';
import { loadShop, order } from './views-load.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { viewRows } from '../../support/view-rows.ts';

const warehouse = fileWarehouse();

const AGES = [-1, 0, 1, 2, 13, 14, 59, 60, 399, 400, 4_000];

// The calendars of these two zones are always one or two days apart.
test.each([
  ['Pacific/Kiritimati', DEFAULT_FRESHNESS],
  ['Etc/GMT+12', DEFAULT_FRESHNESS],
  ['UTC', '1d:90s, 3d:2h, *:30d'],
])(
  'a day is due by its age on the calendar of %s, and by the policy that its shop was swept with: %s',
  async (timezone, text) => {
    const policy = parseFreshness(text);
    const { freshness } = firstState({ freshness: policy });
    const early = await loadShop(warehouse.db, `early ${timezone}`, [], timezone);
    const due = await loadShop(warehouse.db, `due ${timezone}`, [], timezone);
    // Within a transaction the clock stands still.
    await warehouse.db.transaction(async (tx) => {
      // In whatever order its rules were written.
      await updateShopState(tx, early, { freshness }, Temporal.Now.instant());
      await updateShopState(tx, due, { freshness: freshness.toReversed() }, Temporal.Now.instant());
      const clock = await tx.execute<{ now: string }>(sql`SELECT to_json(now()) #>> '{}' AS now`);
      const now = Temporal.Instant.from(clock.rows[0]?.now ?? '');
      const today = now.toZonedDateTimeISO(timezone).toPlainDate();
      const verified = (shopId: number, age: number, earlierMs: number) => {
        const verifiedAt = now.subtract({ milliseconds: freshnessTargetMs(policy, age) + earlierMs });
        const day = today.subtract({ days: age });
        return { shop_id: shopId, day, verified_at: verifiedAt };
      };
      await tx.insert(days).values(AGES.flatMap((age) => [verified(early, age, -1), verified(due, age, 0)]));
      const { rows } = await tx.execute(sql`
        SELECT shop_id AS "shopId", age_days AS age, is_due AS "isDue",
          (extract(epoch FROM freshness_target) * 1000)::float8 AS "targetMs"
        FROM bi.completeness WHERE shop_id IN (${early}, ${due}) ORDER BY age_days, shop_id`);
      // Days that were not over when they were verified: in the first minute of a day, yesterday.
      const begunMs = now.since(today.toZonedDateTime(timezone).toInstant()).total('milliseconds');
      const wasOpen = (age: number) =>
        age > 0 && begunMs + (age - 1) * 86_400_000 < freshnessTargetMs(policy, age);
      const row = (shopId: number, age: number, isDue: boolean) => {
        return { shopId, age, isDue, targetMs: freshnessTargetMs(policy, age) };
      };
      expect(rows).toEqual(AGES.flatMap((age) => [row(early, age, wasOpen(age)), row(due, age, true)]));
    });
  },
);

test("completeness shows the shop's count beside ours, also on days that the ledger lacks", async () => {
  const [first, second, third] = ['2026-03-01', '2026-03-02', '2026-03-03'];
  const shopId = await loadShop(warehouse.db, 'counting', [
    order({ day: first }),
    order({ day: first, status: 'F' }),
    order({ day: first, isMissing: true }),
    order({ day: first, isDeleted: true }),
    order({ day: third }),
    order({ day: null }),
  ]);
  await loadShop(warehouse.db, 'other', [order({ day: first }), order({ day: second })]);
  const failed = { attempts: 3, last_error: 'the list kept shifting' };
  await warehouse.db.insert(days).values([
    {
      shop_id: shopId,
      day: Temporal.PlainDate.from(first),
      verified_at: Temporal.Instant.from('2026-03-05T10:00:00Z'),
      orders_seen: 2,
      attempts: 2,
    },
    { shop_id: shopId, day: Temporal.PlainDate.from(second), ...failed },
  ]);
  const rows = await viewRows(warehouse.db, 'bi.completeness', sql`shop = 'counting' ORDER BY day`);
  expect(rows).toMatchObject([
    { day: first, orders: 2, warehouse_orders: 3, missing_orders: 1, is_verified: false, attempts: 2 },
    { day: second, orders: null, warehouse_orders: 0, is_verified: false, is_due: true, ...failed },
    { day: third, orders: null, warehouse_orders: 1, is_verified: false, is_due: true, last_error: null },
  ]);
});

test('a day is due as soon as the first of the orders that its list lacked is to be confirmed', async () => {
  const shopId = await loadShop(
    warehouse.db,
    'lacking',
    [1, 2].map((id) => order({ id, day: '2026-03-01', isMissing: true })),
  );
  const isDue = async (...minutesAgo: readonly [number, number]) => {
    for (const [index, minutes] of minutesAgo.entries())
      await warehouse.rows(sql`
        UPDATE core.orders SET missing_since = now() - make_interval(mins => ${minutes})
        WHERE shop_id = ${shopId} AND order_id = ${index + 1}`);
    const [row] = await viewRows(warehouse.db, 'bi.completeness', sql`shop_id = ${shopId}`);
    return row?.['is_due'];
  };
  await warehouse.rows(sql`
    INSERT INTO ops.days (shop_id, day, verified_at) VALUES (${shopId}, '2026-03-01', now())`);
  expect([await isDue(1, 2), await isDue(6, 1), await isDue(1, 6)]).toEqual([false, true, true]);
});

// Where days end first and last.
test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])(
  'a day that was verified before it ended in %s is due and unverified once it is over',
  async (timezone) => {
    const policy = parseFreshness('*:30d');
    const shopId = await loadShop(warehouse.db, `ended ${timezone}`, [], timezone);
    await warehouse.db.transaction(async (tx) => {
      const { freshness } = firstState({ freshness: policy });
      const clock = await tx.execute<{ now: string }>(sql`SELECT to_json(now()) #>> '{}' AS now`);
      const now = Temporal.Instant.from(clock.rows[0]?.now ?? '');
      await updateShopState(tx, shopId, { freshness }, now);
      const today = now.toZonedDateTimeISO(timezone).toPlainDate();
      const verified = (age: number, verifiedAt: Temporal.ZonedDateTime) => {
        const day = today.subtract({ days: age });
        return { shop_id: shopId, day, verified_at: verifiedAt.toInstant() };
      };
      const endOf = (age: number) => today.subtract({ days: age - 1 }).toZonedDateTime(timezone);
      await tx
        .insert(days)
        .values([
          verified(7, endOf(7)),
          verified(5, endOf(5).subtract({ milliseconds: 1 })),
          verified(3, endOf(3)),
          verified(1, endOf(3)),
          verified(0, today.toZonedDateTime(timezone)),
        ]);
      const dueDays = await viewRows(
        tx,
        'bi.completeness',
        sql`shop_id = ${shopId} AND is_due ORDER BY age_days`,
      );
      expect(dueDays).toMatchObject([{ age_days: 1 }, { age_days: 5 }]);
      const { rows: spans } = await tx.execute(sql`
        SELECT last_day - lower(span) AS from, last_day - (upper(span) - 1) AS after
        FROM bi.unverified_days, unnest(days) AS span WHERE shop_id = ${shopId} ORDER BY span`);
      expect(spans).toEqual([
        { from: 5, after: 5 },
        { from: 1, after: 1 },
      ]);
      const [shop] = (await readShopReports(tx, now)).filter((report) => report.shop.shopId === shopId);
      expect(shop?.status).toMatchObject({ is_complete: false, days_due: 2 });
    });
  },
);
