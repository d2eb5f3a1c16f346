/** What bi.payments and bi.orders say of an order that is paid, refunded and paid again. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { orderToLoad, SEEN } from '../support/rows.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';
import { viewRows } from '../support/view-rows.ts';

/** Amounts paid of 100.00, one a day, and what is then to be told. */
const STEPS = [
  { paid: '0.00', state: 'not paid', outstanding: '100.00', refunded: '0.00' },
  { paid: '0.50', state: 'partly paid', outstanding: '99.50', refunded: '0.00' },
  { paid: '100.00', state: 'paid', outstanding: '0.00', refunded: '0.00' },
  { paid: '40.00', state: 'partly paid', outstanding: '60.00', refunded: '60.00' },
  { paid: '120.00', state: 'overpaid', outstanding: '0.00', refunded: '60.00' },
  { paid: '119.50', state: 'overpaid', outstanding: '0.00', refunded: '60.50' },
  { paid: null, state: 'unknown', outstanding: null, refunded: '60.50' },
] as const;

test('an order tells what is paid, what is owed and what went back, step by step', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  // What is paid of another order is not paid of this one.
  for (const paid_amount of ['90.00', '100.00', '10.00']) {
    const other = orderToLoad('2', { row: { paid_amount }, seenAt: SEEN });
    await warehouse.load(shopId, [other]);
  }
  for (const [day, { paid, state, outstanding, refunded }] of STEPS.entries()) {
    const seenAt = SEEN.add({ hours: 24 * day });
    const order = orderToLoad('1', { row: { paid_amount: paid }, seenAt });
    await warehouse.load(shopId, [order]);
    const which = sql`shop_id = ${shopId} ORDER BY order_id`;
    const [row] = await viewRows<{ paid_at: Temporal.Instant | null }>(warehouse.db, 'bi.payments', which);
    expect(row).toMatchObject({ payment_state: state, outstanding, refunded_amount: refunded });
    expect(row?.paid_at?.toString()).toBe(day < 2 ? undefined : SEEN.add({ hours: 48 }).toString());
  }
});

test('an order whose sum becomes 0, or was so from the beginning, was not paid by that', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  for (const [day, order_sum] of ['50.00', '0.00'].entries()) {
    const seenAt = SEEN.add({ hours: 24 * day });
    const paid = { 1: '0.20', 2: '0.00' };
    const orders = Object.entries(paid).map(([id, paid_amount]) =>
      orderToLoad(id, { row: { order_sum: id === '2' ? '0.00' : order_sum, paid_amount }, seenAt }),
    );
    await warehouse.load(shopId, orders);
  }
  const rows = await viewRows(warehouse.db, 'bi.payments', sql`shop_id = ${shopId} ORDER BY order_id`);
  expect(rows).toMatchObject([
    { order_sum: '0.00', payment_state: 'overpaid', paid_at: null },
    { order_sum: '0.00', payment_state: 'paid', paid_at: null },
  ]);
});
