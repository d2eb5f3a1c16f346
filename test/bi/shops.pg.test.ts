/** What the views say of shops as such: their own calendar, shops without orders, paused ones, and codes that nobody explained. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';

const warehouse = fileWarehouse();

test('a shop without orders is listed, and so is one that is paused or being deleted; only that is watched no more', async () => {
  const { db } = warehouse;
  const empty = await loadShop(db, 'empty', []);
  const paused = await loadShop(db, 'paused', [order({ currency: null })]);
  const leaving = await loadShop(db, 'leaving', []);
  await warehouse.rows(sql`UPDATE core.shops SET paused_at = now() WHERE shop_id = ${paused}`);
  await warehouse.rows(sql`UPDATE core.shops SET deletion_started_at = now() WHERE shop_id = ${leaving}`);
  const listed = await warehouse.rows(sql`
    SELECT shop, orders::int, currency, first_order_date::text AS first, paused_at IS NOT NULL AS paused
    FROM bi.shops WHERE shop_id IN (${empty}, ${paused}, ${leaving}) ORDER BY shop_id`);
  expect(listed).toEqual([
    { shop: 'empty', orders: 0, currency: null, first: null, paused: false },
    { shop: 'paused', orders: 1, currency: null, first: '2026-03-01', paused: true },
    { shop: 'leaving', orders: 0, currency: null, first: null, paused: false },
  ]);
  const watched = await warehouse.rows(
    sql`SELECT shop FROM bi.sync_freshness WHERE shop_id IN (${empty}, ${paused}, ${leaving}) ORDER BY shop_id`,
  );
  expect(watched).toEqual([{ shop: 'empty' }, { shop: 'paused' }]);
});

test('the currency of a shop is that of most of its sales, whatever it sold for', async () => {
  const shopId = await loadShop(warehouse.db, 'currencies', [
    order({ currency: 'EUR' }),
    order({ currency: 'EUR' }),
    order({ currency: 'AUD', cents: 99_999 }),
    ...Array.from({ length: 3 }, () => order({ currency: 'AUD', status: 'F' })),
  ]);
  const currencyOf = async (id: number) =>
    warehouse.rows(sql`SELECT currency FROM bi.shops WHERE shop_id = ${id}`);
  expect(await currencyOf(shopId)).toEqual([{ currency: 'EUR' }]);
  // Sales whose sum is unknown are sales; of as many, a currency that is known, and the first by name.
  const tied = await loadShop(warehouse.db, 'tied', [
    order({ currency: null }),
    order({ currency: null }),
    ...['USD', 'EUR'].flatMap((currency) => [
      order({ currency, cents: null }),
      order({ currency, cents: null }),
    ]),
    order({ currency: 'AUD' }),
  ]);
  expect(await currencyOf(tied)).toEqual([{ currency: 'EUR' }]);
});

// The calendars of these two zones are always one or two days apart.
test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])('today is the day that it is in %s', async (zone) => {
  const { db } = warehouse;
  const today = Temporal.Now.plainDateISO(zone);
  const day = today.subtract({ days: 3 }).toString();
  const shopId = await loadShop(db, `today ${zone}`, [order({ day, status: 'A' })], zone);
  await warehouse.rows(sql`
    INSERT INTO ops.days (shop_id, day, verified_at) VALUES (${shopId}, ${day}, now()), (${shopId}, ${today.toString()}, now())`);
  const told = await warehouse.rows(sql`
    SELECT o.age_days AS open, r.recency_days AS recency, f.due_days::int AS due, c.age_days AS day, u.last_day - o.order_date AS last
    FROM bi.open_orders o JOIN bi.customer_rfm r USING (shop_id) JOIN bi.sync_freshness f USING (shop_id)
      JOIN bi.unverified_days u USING (shop_id)
      JOIN bi.completeness c ON c.shop_id = o.shop_id AND c.day = o.order_date
    WHERE o.shop_id = ${shopId}`);
  // Midnight may have come meanwhile.
  const age = today.until(Temporal.Now.plainDateISO(zone)).days;
  expect([
    { open: 3, recency: 3, due: 0, day: 3, last: 3 },
    { open: 3 + age, recency: 3 + age, due: age, day: 3 + age, last: 3 + age },
  ]).toContainEqual(told[0]);
});

const HIDDEN = ['call Anna back', 'ask Boris'];

test('a code is unclassified until it has a stage, a name or counts as a sale, and those that are hidden are told as one', async () => {
  const { db } = warehouse;
  const shopId = await loadShop(db, 'codes', [
    order({ status: '?' }),
    order({ status: '?', day: '2026-03-05' }),
    order({ status: '?', isDeleted: true, day: '2026-03-09' }),
    order({ isMissing: true, day: '2026-03-02' }),
  ]);
  await warehouse.rows(sql`
    INSERT INTO core.order_statuses (shop_id, status_code, name, name_local, stage, is_sale, is_final, is_documented) VALUES
      (${shopId}, 'X1', 'X1', NULL, 'open', false, false, false), (${shopId}, 'X2', 'X2', 'Own', 'unknown', false, false, false),
      (${shopId}, 'X3', 'X3', NULL, 'unknown', true, false, false), (${shopId}, 'X4', 'Waiting', NULL, 'unknown', false, false, false),
      (${shopId}, ${HIDDEN[0]}, ${HIDDEN[0]}, NULL, 'unknown', false, false, false),
      (${shopId}, ${HIDDEN[1]}, ${HIDDEN[1]}, NULL, 'unknown', false, true, false)`);
  await warehouse.rows(sql`
    UPDATE core.order_statuses SET stage_order = CASE status_code WHEN ${HIDDEN[0]} THEN 20 ELSE 30 END
    WHERE shop_id = ${shopId} AND status_code IN (${HIDDEN[0]}, ${HIDDEN[1]}, 'X2')`);
  await warehouse.rows(sql`
    INSERT INTO core.payment_statuses (shop_id, pay_status_code, name, name_local, is_documented)
    VALUES (${shopId}, 'Y1', 'Y1', NULL, false), (${shopId}, 'Y0', 'Y0', NULL, false), (${shopId}, 'Y2', 'Y2', 'Own', false), (${shopId}, 'Y3', 'Card', NULL, false)`);
  await warehouse.rows(sql`
    UPDATE core.orders SET pay_status_code = 'Y1', status_code = CASE status_code WHEN 'C' THEN ${HIDDEN[0]} ELSE status_code END
    WHERE shop_id = ${shopId}`);
  const told = await warehouse.rows(sql`
    SELECT kind, code, orders::int, last_order_date::text AS last FROM bi.unclassified_statuses
    WHERE shop_id = ${shopId} ORDER BY kind, code COLLATE "C"`);
  expect(told).toEqual([
    { kind: 'order', code: '(hidden)', orders: 3, last: '2026-03-05' },
    { kind: 'payment', code: 'Y0', orders: 0, last: null },
    { kind: 'payment', code: 'Y1', orders: 3, last: '2026-03-05' },
  ]);
  const names = await warehouse.rows(sql`
    SELECT status_code AS code, status, english_name AS english, stage_order AS place, is_final AS final
    FROM bi.statuses
    WHERE shop_id = ${shopId} AND NOT is_documented ORDER BY status_code COLLATE "C"`);
  expect(names).toEqual([
    { code: '(hidden)', status: '(hidden)', english: '(hidden)', place: 20, final: true },
    { code: 'X1', status: 'X1', english: 'X1', place: null, final: false },
    { code: 'X2', status: 'Own', english: 'X2', place: 30, final: false },
    { code: 'X3', status: 'X3', english: 'X3', place: null, final: false },
    { code: 'X4', status: 'Waiting', english: 'Waiting', place: null, final: false },
  ]);
  const places = await warehouse.rows(sql`
    SELECT DISTINCT stage, status_code AS code, stage_order AS place FROM bi.status_funnel
    WHERE shop_id = ${shopId} AND (status_code = '(hidden)' OR status_code IS NULL AND stage = 'unknown') ORDER BY code`);
  expect(places).toEqual([
    { stage: 'unknown', code: '(hidden)', place: 20 },
    { stage: 'unknown', code: null, place: 20 },
  ]);
});
