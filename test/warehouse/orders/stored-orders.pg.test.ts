import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { readHeldOrders } from '../../../src/warehouse/orders/stored-orders.ts';
import { EVER } from '../../../src/window.ts';
import { orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse } from '../test-warehouse.ts';

const ORDERS = 300;

test('reading the orders of a shop that statistics do not know of compares no pairs of them', async () => {
  await using warehouse = await openTestWarehouse();
  await warehouse.rows(sql`ANALYZE core.orders`);
  const shopId = await warehouse.newShop();
  const ids = Array.from({ length: ORDERS }, (_, index) => String(index + 1));
  await warehouse.write((tx) =>
    loadOrders(
      tx,
      shopId,
      ids.map((id) => orderToLoad(id)),
    ),
  );
  await warehouse.db.transaction(async (tx) => {
    const read = async () => {
      const { rows } = await tx.execute<{ read: number }>(sql`
        SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'orders'`);
      return rows[0]?.read ?? 0;
    };
    const before = await read();
    const held = await readHeldOrders(tx, shopId, { ...EVER, isUndated: true }, ids);
    expect(held).toHaveLength(ORDERS);
    expect((await read()) - before).toBeLessThan(5 * ORDERS);
  });
});
