/** Dimensions and looked-up columns where the data are odd: circles, gaps, one account with very many orders. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { emptyDatabase } from '../support/database.ts';
import { lineOf, loadShop, order } from '../warehouse/views/views-load.ts';
import { fileWarehouse, openTestWarehouse } from '../warehouse/test-warehouse.ts';
import { viewRows } from '../support/view-rows.ts';

const warehouse = fileWarehouse();

type Parents = Readonly<Record<number, number | null>>;

/** What a shop with these groups, each with its parent, tells of them. Those with even numbers have no name. */
async function treeOf(groups: Parents) {
  const shopId = await warehouse.newShop();
  await warehouse.rows(sql`
    INSERT INTO tested.user_groups (shop_id, group_oid, parent_oid, name)
    SELECT ${shopId}, key::bigint, value::bigint, CASE WHEN key::bigint % 2 = 1 THEN 'G' || key END
    FROM jsonb_each_text(${JSON.stringify(groups)}::jsonb)`);
  const rows = await viewRows(warehouse.db, 'bi.user_groups', sql`shop_id = ${shopId}`);
  return Object.fromEntries(
    rows.map(({ group_oid, depth, path_oids, path }) => [group_oid, [depth, path_oids, path]]),
  );
}

test('a tree has paths, and a group whose parent is unknown is at the top', async () => {
  expect(await treeOf({ 1: 0, 2: 1, 3: 2, 4: 99, 5: null })).toEqual({
    1: [1, '/1/', 'G1'],
    2: [2, '/1/2/', 'G1 / 2'],
    3: [3, '/1/2/3/', 'G1 / 2 / G3'],
    4: [1, '/4/', '4'],
    5: [1, '/5/', 'G5'],
  });
});

test('groups in or below a circle of any length, and one that is its own parent, end', async () => {
  expect(await treeOf({ 1: 3, 2: 1, 3: 2, 7: 7, 8: 7, 9: 1 })).toMatchObject({
    3: [3, '/1/2/3/', 'G1 / 2 / G3'],
    7: [1, '/7/', 'G7'],
    8: [2, '/7/8/', 'G7 / 8'],
    9: [4, '/2/3/1/9/', '2 / G3 / G1 / G9'],
  });
});

test('a group with more than eight levels above it has the nearest eight', async () => {
  const deep = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [at + 1, at || null]));
  const tree = await treeOf(deep);
  expect(tree[12]).toEqual([9, '/4/5/6/7/8/9/10/11/12/', '4 / G5 / 6 / G7 / 8 / G9 / 10 / G11 / 12']);
  expect(tree[8]).toEqual([8, '/1/2/3/4/5/6/7/8/', 'G1 / 2 / G3 / 4 / G5 / 6 / G7 / 8']);
});

test('a deleted group does not remove those below it', async () => {
  const shopId = await warehouse.newShop();
  await warehouse.rows(sql`
    INSERT INTO tested.user_groups (shop_id, group_oid, parent_oid, deleted_at) VALUES
      (${shopId}, 1, 0, NULL), (${shopId}, 2, 1, now()), (${shopId}, 3, 2, NULL)`);
  const deleted = await warehouse.rows(sql`
    SELECT group_oid::int AS oid FROM bi.user_groups WHERE shop_id = ${shopId} AND is_deleted`);
  expect(deleted).toEqual([{ oid: 2 }]);
});

test('the calendar has each day once, with its ISO week, from the first order to the end of next year', async () => {
  await loadShop(warehouse.db, 'dated', [order({ day: '2024-03-02' }), order({ day: '0001-01-01' })]);
  await warehouse.rows(sql`DELETE FROM tested.orders WHERE created_on < '2000-01-01'`);
  const days = await viewRows<{ day: string }>(warehouse.db, 'bi.calendar', sql`true ORDER BY day`);
  const first = Temporal.PlainDate.from('2024-01-01');
  const last = Temporal.PlainDate.from(days.at(-1)?.day ?? '');
  expect(days).toHaveLength(first.until(last, { largestUnit: 'days' }).days + 1);
  expect([last.month, last.day]).toEqual([12, 31]);
  expect(last.year).toBe(Temporal.Now.plainDateISO('UTC').year + 1);
  for (const row of days) {
    const date = Temporal.PlainDate.from(row.day);
    expect(row).toMatchObject({
      week: date.subtract({ days: date.dayOfWeek - 1 }).toString(),
      month: date.with({ day: 1 }).toString(),
      quarter: date.with({ day: 1, month: 3 * Math.floor((date.month - 1) / 3) + 1 }).toString(),
      weekday: date.dayOfWeek,
      is_weekend: date.dayOfWeek > 5,
      iso_week: date.weekOfYear,
      iso_year: date.yearOfWeek,
      same_day_last_year: date.subtract({ years: 1 }).toString(),
      month_name: date.toLocaleString('en', { month: 'long' }),
    });
  }
});

test('without orders, the calendar begins with this year', async () => {
  await using empty = await openTestWarehouse(emptyDatabase);
  const rows = await empty.rows(
    sql`SELECT min(day) = date_trunc('year', now())::date AS now FROM bi.calendar`,
  );
  expect(rows).toEqual([{ now: true }]);
});

test('an order date before 2000 does not make the calendar begin there', async () => {
  await loadShop(warehouse.db, 'ancient', [order({ day: '0001-01-01' })]);
  const [row] = await warehouse.rows(sql`SELECT min(day)::text AS first FROM bi.calendar`);
  expect(row).toEqual({ first: '2000-01-01' });
  await warehouse.rows(sql`DELETE FROM tested.orders WHERE created_on < '2000-01-01'`);
});

test('a product that was only cancelled is known, and one of a deleted order is not', async () => {
  const shopId = await loadShop(warehouse.db, 'products', [
    order({ status: 'F', lines: [lineOf({ product: '1' })] }),
    order({ isDeleted: true, lines: [lineOf({ product: '2' })] }),
    order({ day: null, lines: [lineOf({ product: '3', sku: 'B' })] }),
    order({ lines: [lineOf({ product: '3', sku: 'A' })] }),
  ]);
  const rows = await viewRows(warehouse.db, 'bi.products', sql`shop_id = ${shopId} ORDER BY product_oid`);
  expect(rows).toMatchObject([
    { product_oid: '1', orders: 0, first_sale_date: null, skus: null },
    {
      product_oid: '3',
      orders: 2,
      first_sale_date: '2026-03-01',
      last_sale_date: '2026-03-01',
      skus: 'A, B',
    },
  ]);
});

test('a product has the name of its last line in its latest order', async () => {
  const line = lineOf({ product: '4' });
  const names = ['Old mug', 'Mug', 'Big mug'];
  const [old = '', ...latest] = names;
  const other = { ...line, product: '5', name: 'Bowl' };
  const shopId = await loadShop(warehouse.db, 'renamed', [
    order({ lines: [other, other, other, other, { ...line, name: old }] }),
    order({ lines: [...latest.map((name) => ({ ...line, name })), { ...line, name: null }] }),
  ]);
  const [row] = await warehouse.rows(sql`
    SELECT p.product_name, b.product_name AS in_basket, b.with_product_name AS with,
      b.orders_together::int AS together
    FROM bi.products p JOIN bi.basket b USING (shop_id, product_oid)
    WHERE p.shop_id = ${shopId} AND product_oid = 4`);
  expect(row).toEqual({ product_name: 'Big mug', in_basket: 'Big mug', with: 'Bowl', together: 1 });
});

test('statuses show the table of codes, with names that somebody entered', async () => {
  const shopId = await loadShop(warehouse.db, 'statuses', []);
  await warehouse.rows(sql`
    UPDATE tested.order_statuses SET name_local = 'Geliefert', is_sale = false
    WHERE shop_id = ${shopId} AND status_code = 'C'`);
  const rows = await viewRows<{ status_code: string }>(warehouse.db, 'bi.statuses', sql`shop_id = ${shopId}`);
  expect(rows).toHaveLength(17);
  expect(rows.find((row) => row.status_code === 'C')).toMatchObject({
    status: 'Geliefert',
    english_name: 'Delivered',
    stage: 'delivered',
    is_sale: false,
  });
});

test('of an account with very many orders, the first thousand have a number', async () => {
  const first = order({});
  const shopId = await loadShop(warehouse.db, 'counter', [first]);
  await warehouse.rows(sql`
    INSERT INTO core.orders
    SELECT (jsonb_populate_record(o, jsonb_build_object('order_id', o.order_id + n))).*
    FROM core.orders o, generate_series(1, 1004) n WHERE shop_id = ${shopId}`);
  const places = [1, 2, 500, 999, 1_000, 1_001, 1_005];
  const rows = await warehouse.rows(sql`
    SELECT order_number_of_customer::int AS number, is_first_order AS first FROM bi.orders
    WHERE shop_id = ${shopId} AND order_id = ANY (${sql.param(places.map((place) => first.id + place - 1))})
    ORDER BY order_id`);
  expect(rows.map(({ number }) => number)).toEqual([1, 2, 500, 999, 1_000, null, null]);
  expect(rows.filter(({ first: isFirst }) => isFirst === true)).toEqual([rows[0]]);
});

test("names come in the shop's own words where somebody entered them, and groups only for registered buyers", async () => {
  const shopId = await loadShop(warehouse.db, 'wording', [order({}), order({ customer: 'o:1' })]);
  await warehouse.rows(
    sql`INSERT INTO core.user_groups (shop_id, group_oid, name) VALUES (${shopId}, 90, 'Wholesale')`,
  );
  await warehouse.rows(
    sql`UPDATE core.users SET group_oid = 90 WHERE shop_id = ${shopId} AND user_oid IN (1, 6)`,
  );
  await warehouse.rows(
    sql`UPDATE core.order_statuses SET name_local = 'Geliefert' WHERE shop_id = ${shopId} AND status_code = 'C'`,
  );
  await warehouse.rows(
    sql`UPDATE core.payment_statuses SET name_local = 'Bar' WHERE shop_id = ${shopId} AND pay_status_code = 'HP'`,
  );
  await warehouse.rows(
    sql`UPDATE core.orders SET pay_status_code = 'HP' WHERE shop_id = ${shopId} AND customer_key = 'o:1'`,
  );
  expect(await viewRows(warehouse.db, 'bi.orders', sql`shop_id = ${shopId} ORDER BY order_id`)).toMatchObject(
    [
      { status: 'Geliefert', pay_status: 'Not paid', user_group: 'Wholesale' },
      { status: 'Geliefert', pay_status: 'Bar', user_group: null },
    ],
  );
  expect(
    await viewRows(warehouse.db, 'bi.customers', sql`shop_id = ${shopId} ORDER BY customer_key`),
  ).toMatchObject([
    { customer_key: 'o:1', user_group: null },
    { customer_key: 'u:1', user_group: 'Wholesale' },
  ]);
});
