/** A copy kept up to date by the recipe in docs/bi.md equals its view in every column, whatever changed what the view shows. */
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Tx } from '../../src/warehouse/db/database.ts';
import { storeUsers } from '../../src/warehouse/directory/users.ts';
import { stampViewChanges } from '../../src/warehouse/ops/refresh-summaries.ts';
import { foundUser, orderToLoad, SEEN } from '../support/rows.ts';
import { anySynced, EDITS } from '../warehouse/summary-changes.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { openCopies } from './copies.ts';
import { IS_LONG } from '../support/long.ts';

/** All views with orders, but one whose problems are measured by the habits of the shop. */
const VIEWS = [
  'orders',
  'order_lines',
  'order_fields',
  'order_history',
  'status_periods',
  'delivery_times',
  'open_orders',
  'returns',
  'payments',
];
const MEANINGS = [
  'what a sale is',
  'the stage of a status',
  'the name of a status',
  'the group of a user',
  'the name of a group',
  'whether the source is shown',
] as const;

const anyMeaning = fc
  .record({
    edit: fc.constantFrom(...MEANINGS),
    code: fc.constantFrom('A', 'C', 'F', 'X'),
    order: fc.integer({ min: 1, max: 9 }).map(String),
  })
  .map(({ edit, code, order }) => async ({ db }: TestWarehouse, shop: number) => {
    const drawn = { order, code, day: null, oid: null };
    await db.execute(EDITS[edit]?.(shop, drawn) ?? sql``);
  });

test('copies equal their views after any changes of orders and of what they refer to', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.oneof(anySynced, anyMeaning), { minLength: 1, maxLength: 4 }), {
        minLength: 2,
        maxLength: 5,
      }),
      async (rounds) => {
        await using warehouse = await openTestWarehouse();
        const shopId = await warehouse.newShop();
        await warehouse.load(
          shopId,
          ['1', '2', '3'].map((id) => orderToLoad(id)),
        );
        const copies = await openCopies(warehouse, VIEWS);
        for (const changes of rounds) {
          for (const change of changes) await change(warehouse, shopId);
          await stampViewChanges(warehouse.db);
          await copies.bringUpToDate();
          expect(await copies.differences()).toEqual([]);
        }
      },
    ),
    { numRuns: IS_LONG ? 30 : 1 },
  );
});

test('what orders refer to moves changed_at of these orders, and of no others', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const { db } = warehouse;
  const other = { customer_key: 'u:7', buyer_oid: '7', status_code: 'C', pay_status_code: 'FP' };
  await warehouse.load(shopId, [orderToLoad('1'), orderToLoad('2', { row: other, person: null })]);
  const moved = async (statement: ReturnType<typeof sql> | ((tx: Tx) => Promise<unknown>)) => {
    await stampViewChanges(db);
    const [latest] = await warehouse.rows(sql`SELECT clock_timestamp()::text AS now`);
    await (typeof statement === 'function' ? warehouse.write(statement) : db.execute(statement));
    await stampViewChanges(db);
    const rows = await warehouse.rows(sql`
      SELECT order_id::text AS id FROM bi.orders
      WHERE shop_id = ${shopId} AND changed_at > ${String(latest?.['now'])}::timestamptz ORDER BY 1`);
    return rows.map(({ id }) => id);
  };
  const update = (table: string, set: string, where: string) =>
    sql.raw(`UPDATE core.${table} SET ${set} WHERE shop_id = ${shopId} AND ${where}`);
  const insert = (table: string, columns: string, values: string) =>
    sql.raw(`INSERT INTO core.${table} (shop_id, ${columns}) VALUES (${shopId}, ${values})`);
  for (const [change, ids] of [
    [update('order_statuses', `stage = 'cancelled', is_sale = false`, `status_code = 'A'`), ['1']],
    [update('order_statuses', `is_final = NOT is_final`, `status_code = 'A'`), []],
    [update('payment_statuses', `name_local = 'bezahlt'`, `pay_status_code = 'FP'`), ['2']],
    [(tx: Tx) => storeUsers(tx, shopId, [foundUser('7')]), ['2']],
    [(tx: Tx) => storeUsers(tx, shopId, [foundUser('7', { level: 3 })]), []],
    [insert('user_groups', 'group_oid, name', `90, 'VIP'`), ['2']],
    [update('user_groups', `name = 'Wholesale'`, 'group_oid = 90'), ['2']],
    [insert('order_form_fields', 'field_key, is_shown', `'gift', true`), ['1']],
    [update('order_form_fields', 'is_shown = false', `field_key = 'gift'`), ['1']],
  ] as const)
    expect(await moved(change)).toEqual(ids);
  // What an order had is shown as well.
  const now = { ...other, status_code: 'F', pay_status_code: 'HP' };
  const later = { seenAt: SEEN.add({ hours: 24 }), person: null };
  await warehouse.load(shopId, [orderToLoad('2', { ...later, row: now })]);
  expect(await moved(update('order_statuses', `name_local = 'fertig'`, `status_code = 'C'`))).toEqual(['2']);
  expect(await moved(update('payment_statuses', `name_local = 'alles'`, `pay_status_code = 'FP'`))).toEqual([
    '2',
  ]);
  expect(await moved(update('shops', `shop_key = 'renamed'`, 'true'))).toEqual(['1', '2']);
});

test('an earlier sale moves the later ones of its customer; a later one moves none', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const placed = (id: string, day: string, status_code = 'A') =>
    orderToLoad(id, {
      row: {
        created_on: day,
        created_local: `${day}T09:00:00`,
        created_at: Temporal.Instant.from(`${day}T08:00:00Z`),
        status_code,
      },
    });
  await warehouse.load(shopId, [placed('2', '2026-02-02'), placed('3', '2026-02-03')]);
  await stampViewChanges(warehouse.db);
  const noted = async () => {
    await warehouse.db.execute(sql`SELECT ops.spread_view_changes(${shopId})`);
    const rows = await warehouse.rows(
      sql`SELECT key FROM ops.view_changes WHERE shop_id = ${shopId} ORDER BY 1`,
    );
    await stampViewChanges(warehouse.db);
    return rows.map(({ key }) => key);
  };
  await warehouse.load(shopId, [placed('4', '2026-02-04')]);
  expect(await noted()).toEqual([]);
  await warehouse.load(shopId, [placed('1', '2026-02-01')]);
  expect(await noted()).toEqual(['1', '2', '3', '4']);
  // Of two of the same moment, that of the lower number is the earlier one.
  await warehouse.load(shopId, [placed('5', '2026-02-05', 'R'), placed('6', '2026-02-05')]);
  await noted();
  await warehouse.load(shopId, [placed('5', '2026-02-05', 'C')]);
  expect(await noted()).toEqual(['5', '6']);
});
