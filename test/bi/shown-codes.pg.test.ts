/** Status codes that the shop invented, or somebody typed a person into: which of them `bi` shows. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { loadOrders } from '../../src/warehouse/orders/load-orders.ts';
import { orderToLoad } from '../support/rows.ts';
import { showFields } from '../support/show-fields.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';

/** So many customers must share a code; of a plain word three are enough. */
const MIN_PEERS = 5;

/** The customers of the orders with each code. */
const CODES: Readonly<Record<string, { readonly customers: readonly string[]; readonly isShown: boolean }>> =
  {
    packed: { customers: ['u:1', 'u:2', 'g:3'], isShown: true },
    boxed: { customers: ['u:1', 'u:2'], isShown: false },
    'Ждём Веру': { customers: ['u:1', 'u:2', 'u:3', 'u:4'], isShown: false },
    'На складе': { customers: ['u:1', 'u:2', 'u:3', 'u:4', 'u:5'], isShown: true },
    // Many orders of one customer, and guests who may all be one person.
    'Вере лично': { customers: Array.from({ length: 9 }, () => 'u:1'), isShown: false },
    'для Веры': { customers: Array.from({ length: 9 }, (_, at) => `o:${at}`), isShown: false },
    Z9: { customers: ['u:1'], isShown: true },
  };

test('a code is shown where enough customers share it, and no longer than that', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const orders = Object.entries(CODES).flatMap(([code, { customers }]) =>
    customers.map((customer_key) => ({ customer_key, status_code: code, pay_status_code: code })),
  );
  const toLoad = orders.map((row, at) => orderToLoad(String(at + 1), { row }));
  await warehouse.write((tx) => loadOrders(tx, shopId, toLoad));
  const shown = async () => {
    const read = async (column: 'status_code' | 'pay_status_code') => {
      const rows = await warehouse.rows(
        sql`SELECT DISTINCT ${sql.raw(column)} AS code FROM bi.orders WHERE shop_id = ${shopId} ORDER BY 1`,
      );
      return rows.map(({ code }) => String(code));
    };
    const [status, payStatus] = [await read('status_code'), await read('pay_status_code')];
    expect(payStatus).toEqual(status);
    return new Set(status);
  };
  expect(await shown()).toEqual(new Set(['(rare)', 'Z9']));
  await showFields(warehouse.db, shopId, MIN_PEERS);
  const wanted = Object.entries(CODES).flatMap(([code, { isShown }]) => (isShown ? [code] : []));
  expect(await shown()).toEqual(new Set(['(rare)', ...wanted]));
  await showFields(warehouse.db, shopId, MIN_PEERS + 1);
  expect(await shown()).toEqual(new Set(['(rare)', 'Z9', 'packed']));
});
