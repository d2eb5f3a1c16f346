import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { fileWarehouse } from '../test-warehouse.ts';
import { showFields } from '../../support/show-fields.ts';
import { enterFields, lineOf, loadShop, order } from './views-load.ts';

const warehouse = fileWarehouse();

const TODAY = Temporal.Now.plainDateISO('Europe/Berlin');
const ago = (days: number) => TODAY.subtract({ days }).toString();

type Ledger = Readonly<Record<number, boolean>>;

/** @param ledger whether the days of these ages are verified */
async function addShop(key: string, ledger: Ledger, orders: readonly ReturnType<typeof order>[] = []) {
  const shopId = await loadShop(warehouse.db, key, orders);
  for (const [age, isVerified] of Object.entries(ledger)) {
    await warehouse.rows(sql`
      INSERT INTO ops.days (shop_id, day, verified_at)
      VALUES (${shopId}, ${ago(Number(age))}, ${isVerified ? Temporal.Now.instant().toString() : null})`);
  }
  return shopId;
}

/** First and last day of each span, as ages; `null`: without end. */
async function spans(shopId: number, column: 'days' | 'line_days' = 'days') {
  const rows = await warehouse.rows(sql`
    SELECT lower(span)::text AS from, (upper(span) - 1)::text AS after
    FROM bi.unverified_days u, unnest(${sql.raw(column)}) AS span WHERE u.shop_id = ${shopId} ORDER BY span`);
  const age = (day: unknown) =>
    typeof day === 'string' ? Temporal.PlainDate.from(day).until(TODAY).total('days') : null;
  return rows.map(({ from, after }) => [age(from), age(after)]);
}

test('all days of a shop that was never swept are unverified', async () => {
  expect(await spans(await addShop('new', {}))).toEqual([[null, null]]);
});

test('a row of the ledger covers the days before it that have none, but not the days since the latest sweep', async () => {
  expect(await spans(await addShop('whole', { 9: true, 4: true, 0: true }))).toEqual([]);
  expect(await spans(await addShop('below', { 9: false, 4: true, 0: true }))).toEqual([[null, 9]]);
  expect(await spans(await addShop('gap', { 9: true, 4: false, 3: false, 1: true, 0: true }))).toEqual([
    [8, 3],
  ]);
  expect(await spans(await addShop('today', { 9: true, 1: true, 0: false }))).toEqual([[0, null]]);
  expect(await spans(await addShop('stale', { 9: true, 3: true }))).toEqual([[2, null]]);
  const leaving = await addShop('leaving', { 9: true, 3: true });
  await warehouse.rows(sql`UPDATE core.shops SET deletion_started_at = now() WHERE shop_id = ${leaving}`);
  expect(await spans(leaving)).toEqual([]);
});

// The calendars of these two zones are always one or two days apart.
test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])('today ends when it ends in %s', async (zone) => {
  const shopIds = [
    await loadShop(warehouse.db, `ended ${zone}`, [], zone),
    await loadShop(warehouse.db, `begun ${zone}`, [], zone),
  ];
  // Within a transaction the clock stands still.
  const told = await warehouse.db.transaction(async (tx) => {
    for (const [age, shopId] of shopIds.entries()) {
      await tx.execute(sql`
        INSERT INTO ops.days (shop_id, day, verified_at)
        SELECT ${shopId}, today - ago, CASE ago WHEN 1 - ${age}::int THEN NULL ELSE now() END
        FROM (SELECT (now() AT TIME ZONE ${zone})::date AS today) t, unnest(ARRAY[9, 1, 0]) AS ago`);
    }
    return tx.execute(sql`
      SELECT last_day - lower(span) AS from, last_day - (upper(span) - 1) AS after
      FROM bi.unverified_days, unnest(days) AS span WHERE shop_id IN (${shopIds[0]}, ${shopIds[1]}) ORDER BY shop_id`);
  });
  expect(told.rows).toEqual([
    { from: 8, after: 1 },
    { from: 0, after: null },
  ]);
});

test('an order that may be gone, or lacks its lines, makes its day unverified for the figures that it is in', async () => {
  const lines = [lineOf()];
  const shopId = await addShop('orders', { 9: true, 0: true }, [
    order({ lines, day: ago(7), isMissing: true }),
    order({ lines, day: ago(6), isMissing: true, isDeleted: true }),
    order({ lines, day: ago(5) }),
    order({ lines, day: ago(4) }),
    order({ lines, day: null, isMissing: true }),
  ]);
  await warehouse.rows(sql`
    UPDATE core.orders SET lines_state = CASE WHEN created_on IS NULL OR created_on IN (${ago(6)}, ${ago(5)}) THEN 'failed' ELSE 'ok' END
    WHERE shop_id = ${shopId}`);
  expect([await spans(shopId), await spans(shopId, 'line_days')]).toEqual([
    [[7, 7]],
    [
      [7, 7],
      [5, 5],
    ],
  ]);
  await enterFields(warehouse.db, shopId, { source: { value: 'Ads' } });
  await showFields(warehouse.db, shopId, 'source');
  for (const view of ['daily_sales', 'sales_by_hour', 'group_sales', 'sales_by_field', 'product_sales']) {
    const shown = await warehouse.rows(sql`
      SELECT order_date::text, is_verified FROM ${sql.raw(`bi.${view}`)} WHERE shop_id = ${shopId} ORDER BY order_date`);
    expect(shown, view).toEqual([
      { order_date: ago(7), is_verified: false },
      { order_date: ago(5), is_verified: view !== 'product_sales' },
      { order_date: ago(4), is_verified: true },
      { order_date: null, is_verified: null },
    ]);
  }
});
