import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { openTestWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';
import { METRICS } from './metrics.ts';

test('metrics never add up currencies, and count the orders of a shop as daily_sales does', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await loadShop(warehouse.db, 'north', [
    order({ cents: 1_000 }),
    order({ cents: 2_000, paidCents: 500 }),
    order({ cents: 700, currency: 'USD' }),
    order({ cents: 4_000, status: 'F' }),
    order({ cents: 8_000, isDeleted: true }),
  ]);
  const measured = async (view: string, where: ReturnType<typeof sql>) => {
    const columns = (METRICS[view] ?? []).map(({ name, expression }) => `(${expression})::float8 AS ${name}`);
    const [row] = await warehouse.rows(
      sql`SELECT ${sql.raw(columns.join(', '))} FROM ${sql.raw(view)} WHERE shop_id = ${shopId} AND ${where}`,
    );
    return row;
  };
  for (const view of ['bi.daily_sales', 'bi.orders']) {
    expect(await measured(view, sql`true`), view).toMatchObject({ orders: 3, revenue: null });
    expect(await measured(view, sql`currency = 'EUR'`), view).toMatchObject({ orders: 2, revenue: 30 });
  }
  expect(await measured('bi.daily_sales', sql`currency = 'EUR'`)).toMatchObject({
    average_order_value: 15,
    paid: 5,
    cancelled_amount: 40,
  });
  expect(await measured('bi.orders', sql`true`)).toMatchObject({ all_orders: 5 });
});
