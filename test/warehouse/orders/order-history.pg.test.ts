import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { markVerified, readUnverified } from '../../../src/warehouse/ops/ledger.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { at, type OrderRow, orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const hour = (hours: number) => at('2026-03-10T00:00:00Z').add({ hours });
/** As PostgreSQL writes it. */
const text = (hours: number) => `2026-03-10 ${String(hours).padStart(2, '0')}:00:00+00`;

const DAY = '2026-03-01';
/** The order 1 as it was seen at an hour, and when its day was read before. */
const see = (hours: number, row: Partial<OrderRow>, lastRead?: number) =>
  warehouse.write(async (tx) => {
    if (lastRead !== undefined)
      await markVerified(tx, shopId, [{ day: DAY, verifiedAt: hour(lastRead), orders: 1 }]);
    return loadOrders(tx, shopId, [orderToLoad('1', { seenAt: hour(hours), row })]);
  });
const history = (shop = shopId, id = 1) =>
  warehouse.rows(sql`
    SELECT seq, status_code, pay_status_code, order_sum, paid_amount, not_before, observed_at, observed_until, is_initial
    FROM core.order_history WHERE shop_id = ${shop} AND order_id = ${id} ORDER BY seq`);

test.each<[string, Partial<OrderRow>]>([
  ['status', { status_code: 'C' }],
  ['payment', { pay_status_code: 'FP' }],
  ['sum', { order_sum: '0.01' }],
  ['sum that is gone', { order_sum: null }],
  ['paid amount', { paid_amount: '99.99' }],
])(
  'a change of the %s closes the entry and opens another, between the last sight and this one',
  async (_what, change) => {
    await see(1, {});
    await see(5, change, 3);
    const [before, after] = await history();
    expect(before).toMatchObject({ seq: 1, observed_until: text(5), is_initial: true });
    expect(after).toMatchObject({ seq: 2, ...change, is_initial: false });
    expect(after).toMatchObject({ not_before: text(3), observed_at: text(5), observed_until: null });
  },
);

test('if the last sight is unknown, or older than the entry, the entry itself is the last sight', async () => {
  await see(2, {});
  await see(4, { status_code: 'N' });
  await see(6, { status_code: 'P' }, 1);
  expect((await history()).map((entry) => entry['not_before'])).toEqual([null, text(2), text(4)]);
});

test('other changes leave the history alone', async () => {
  await see(1, { order_sum: '10.00' });
  const before = await history();
  await see(2, {
    order_sum: '10.0',
    color: 'changed',
    updated_at: at('2026-03-09T00:00:00Z'),
    buyer_oid: null,
    delivery_price: '9.99',
    views: 99,
  });
  expect(await history()).toEqual(before);
});

test("an entry keeps the shop's own time of the change", async () => {
  await see(1, { updated_at: at('2026-03-09T10:00:00Z') });
  await see(2, { status_code: 'C', updated_at: null });
  const rows = await warehouse.rows(
    sql`SELECT source_updated_at FROM core.order_history WHERE shop_id = ${shopId} ORDER BY seq`,
  );
  expect(rows.map((row) => row['source_updated_at'])).toEqual(['2026-03-09 10:00:00+00', null]);
});

test('a code that was hidden and is stored now is no change; one that is always shown is', async () => {
  const hidden = { status_code: '(hidden)', pay_status_code: '(hidden)' };
  const typed = { status_code: 'ask Anna', pay_status_code: 'ask Ben' };
  await see(1, typed);
  await see(2, hidden);
  await warehouse.load(shopId, [orderToLoad('2', { row: hidden, seenAt: hour(2) })]);
  const other = await history(shopId, 2);
  await see(3, typed);
  expect((await history()).map((entry) => [entry['status_code'], entry['pay_status_code']])).toEqual([
    ['ask Anna', 'ask Ben'],
    ['ask Anna', 'ask Ben'],
  ]);
  expect(await history(shopId, 2)).toEqual(other);
  await see(4, hidden);
  const shown = { status_code: 'W7', pay_status_code: 'B7' };
  await see(5, shown);
  expect((await history()).slice(2)).toMatchObject([hidden, shown]);
  // What it was hidden as before that stays.
  await see(6, hidden);
  await see(7, typed);
  expect((await history()).slice(2)).toMatchObject([hidden, shown, typed]);
  // The owner may show a code that looks like none.
  await see(8, hidden);
  await warehouse.rows(sql`
    UPDATE core.order_statuses SET name_local = 'Ask her' WHERE shop_id = ${shopId} AND status_code = 'ask Anna'`);
  await see(9, { ...hidden, status_code: 'ask Anna' });
  expect((await history()).slice(5)).toHaveLength(2);
});

test('what is read in another way corrects the current entry, and makes days due that an order moved between', async () => {
  const other = await warehouse.newShop();
  const orders = ['1', '2'].map((id) => orderToLoad(id, { seenAt: hour(1) }));
  for (const shop of [shopId, other]) await warehouse.load(shop, orders);
  await see(2, { status_code: 'C' }, 1);
  const [before, second, foreign] = [await history(), await history(shopId, 2), await history(other)];
  const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
  const verified = days.map((day) => ({ day, verifiedAt: hour(3), orders: 2 }));
  await warehouse.write((tx) => markVerified(tx, shopId, verified));
  const rewrite = (id: string, row: Partial<OrderRow>) => {
    const order = orderToLoad(id, { row, seenAt: hour(4), lines: undefined, person: undefined });
    return warehouse.load(shopId, [order], { isReread: true });
  };
  const due = async () => (await readUnverified(warehouse.db, shopId)).unverified.map(String);
  expect(await rewrite('2', {})).toEqual({ added: new Set(), headers: 0, lines: 0 });
  expect(await rewrite('9', {})).toEqual({ added: new Set(['9']), headers: 1, lines: 0 });
  expect(await due()).toEqual([]);
  const moved = { status_code: 'C', order_sum: '12.00', created_on: '2026-03-02' };
  expect(await rewrite('1', moved)).toEqual({ added: new Set(), headers: 1, lines: 0 });
  expect(await due()).toEqual(days.slice(0, 2));
  expect(await history()).toEqual([before[0], { ...before[1], order_sum: '12.00' }]);
  expect([await history(shopId, 2), await history(other)]).toEqual([second, foreign]);
  expect(await history(shopId, 9)).toMatchObject([{ seq: 1, observed_at: text(4), is_initial: true }]);
});
