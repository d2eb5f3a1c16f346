/** What the views tell of an order step by step: since when it is in its status, what it was before, and when it came back. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { orderToLoad, SEEN } from '../support/rows.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';

/** One a day: only the way of paying changes on the third. */
const STEPS = [
  { status_code: 'N', pay_status_code: 'S' },
  { status_code: 'A', pay_status_code: 'S' },
  { status_code: 'A', pay_status_code: 'HP' },
] as const;

test('an order is in its status since it was first seen in it, also if something else changed since', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  for (const [day, row] of STEPS.entries()) {
    const seenAt = SEEN.add({ hours: 24 * day });
    await warehouse.load(shopId, [orderToLoad('1', { row, seenAt })]);
  }
  const [open] = await warehouse.rows(
    sql`SELECT to_json(in_status_since) #>> '{}' AS since FROM bi.open_orders WHERE shop_id = ${shopId}`,
  );
  expect(Temporal.Instant.from(String(open?.['since']))).toEqual(SEEN.add({ hours: 24 }));
  const history = await warehouse.rows(sql`
    SELECT status_code AS is, previous_status_code AS was, pay_status_code AS pays, previous_pay_status_code AS paid
    FROM bi.order_history WHERE shop_id = ${shopId} ORDER BY seq`);
  expect(history).toEqual([
    { is: 'N', was: null, pays: 'S', paid: null },
    { is: 'A', was: 'N', pays: 'S', paid: 'S' },
    { is: 'A', was: 'A', pays: 'HP', paid: 'S' },
  ]);
  const periods = await warehouse.rows(sql`
    SELECT period_no::int AS no, status_code AS is, hours, next_status_code AS next, uncertainty_hours AS uncertain, is_initial, is_current
    FROM bi.status_periods WHERE shop_id = ${shopId} ORDER BY period_no`);
  expect(periods).toEqual([
    { no: 1, is: 'N', hours: '24.00', next: 'A', uncertain: null, is_initial: true, is_current: false },
    { no: 2, is: 'A', hours: null, next: null, uncertain: '24.00', is_initial: false, is_current: true },
  ]);
});

test('an order came back when it was first seen as returned; one whose history says nothing of it is listed too', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  for (const [day, status] of ['C', 'R', 'K'].entries()) {
    const seenAt = SEEN.add({ hours: 24 * day });
    const given = ['1', '2'].map((id) => orderToLoad(id, { row: { status_code: status }, seenAt }));
    await warehouse.load(shopId, given);
  }
  await warehouse.rows(
    sql`DELETE FROM core.order_history WHERE shop_id = ${shopId} AND order_id = 2 AND seq > 1`,
  );
  const returned = await warehouse.rows(sql`
    SELECT order_id AS id, to_json(returned_at) #>> '{}' AS at FROM bi.returns WHERE shop_id = ${shopId} ORDER BY order_id`);
  expect(returned.map(({ id }) => id)).toEqual(['1', '2']);
  expect(Temporal.Instant.from(String(returned[0]?.['at']))).toEqual(SEEN.add({ hours: 24 }));
  expect(returned[1]?.['at']).toBeNull();
  // Placed nine days before it was first seen, but for five minutes.
  for (const [days, status_code] of [[0, 'N'] as const, [1_000, 'C'] as const, [3_000, 'R'] as const]) {
    const late = orderToLoad('3', {
      row: { status_code },
      seenAt: SEEN.add({ hours: 24 * days }),
    });
    await warehouse.load(shopId, [late]);
  }
  const took = await warehouse.rows(sql`
    SELECT days_to_deliver, days_to_return FROM bi.delivery_times d JOIN bi.returns r USING (shop_id, order_id)
    WHERE d.shop_id = ${shopId} AND order_id = 3`);
  expect(took).toEqual([{ days_to_deliver: '1009.00', days_to_return: '2000.00' }]);
});
