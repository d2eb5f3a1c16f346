/** Status codes that the shop invented, or somebody typed a person into: which of them `bi` shows. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { changeStatus, namePaymentStatus } from '../../src/warehouse/directory/owner-codes.ts';
import { loadOrders } from '../../src/warehouse/orders/load-orders.ts';
import { orderToLoad } from '../support/rows.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';

/** Whether a code looks like one: Latin letters, digits, `_` and `-`, sixteen at most. */
const CODES: Readonly<Record<string, boolean>> = {
  packed: true,
  Z9: true,
  'to-be_sent-2026x': true,
  'to-be_sent-2026xy': false,
  'two words': false,
  'Ждём Веру': false,
  'ivan@mail.example': false,
  '+49 30 1234567': false,
  Вера: false,
  ä: false,
  a: true,
};

test('a code is shown where it looks like one, however few orders have it, and no other is, however many do', async () => {
  await using warehouse = await openTestWarehouse();
  const { db } = warehouse;
  const shopId = await warehouse.newShop();
  const many = Object.entries(CODES).flatMap(([code, isShown]) => Array(isShown ? 1 : 30).fill(code));
  const toLoad = many.map((code: string, at) =>
    orderToLoad(String(at + 1), {
      row: { customer_key: `g:${at}`, status_code: code, pay_status_code: code },
    }),
  );
  await warehouse.write((tx) => loadOrders(tx, shopId, toLoad));
  const shown = async (column: 'status_code' | 'pay_status_code') => {
    const rows = await warehouse.rows(
      sql`SELECT DISTINCT ${sql.raw(column)} AS code FROM bi.orders WHERE shop_id = ${shopId}`,
    );
    return new Set(rows.map(({ code }) => String(code)));
  };
  const wanted = Object.entries(CODES).flatMap(([code, isShown]) => (isShown ? [code] : []));
  for (const column of ['status_code', 'pay_status_code'] as const) {
    expect(await shown(column)).toEqual(new Set(['(hidden)', ...wanted]));
  }
  // What the owner classifies or names is a code, whatever it looks like.
  await changeStatus(db, shopId, 'Ждём Веру', { stage: 'open' });
  await changeStatus(db, shopId, 'two words', { name: 'Waiting' });
  expect(await shown('status_code')).toEqual(new Set(['(hidden)', 'Ждём Веру', 'two words', ...wanted]));
  await namePaymentStatus(db, shopId, 'Вера', 'By voucher');
  expect(await shown('pay_status_code')).toEqual(new Set(['(hidden)', 'Вера', ...wanted]));
  const history = await warehouse.rows(
    sql`SELECT DISTINCT status_code AS code FROM bi.order_history WHERE shop_id = ${shopId}`,
  );
  expect(new Set(history.map(({ code }) => code))).toEqual(await shown('status_code'));
});
