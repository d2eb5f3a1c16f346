/** How a shop counts and adds up is learned from enough of its orders whose lines are known, and from no others. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { updateShopState } from '../../src/warehouse/ops/stored-shop-state.ts';
import { learnLineRelations } from '../../src/warehouse/orders/due-lines.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { lineOf, loadShop, order, type Order } from '../warehouse/views/views-load.ts';

const line = (quantity: number) => lineOf({ quantity });
/** Orders of one to three lines with two units each: the shop's count tells which of them it counts. */
const times = (orders: number, by: 'lines' | 'units', changes: Partial<Order> = {}) =>
  Array.from({ length: orders }, (_, index) => {
    const lines = Array.from({ length: 1 + (index % 3) }, () => line(2));
    return order({ lines, items: lines.length * (by === 'lines' ? 1 : 2), ...changes });
  });
/** One line with one unit, which says nothing of it. */
const silent = Array.from({ length: 9 }, () => order({ lines: [{ ...line(1), cents: 1_000 }], items: 1 }));

const warehouse = fileWarehouse();

/** As a sweep does that fetched lines. */
async function learn(shopId: number): Promise<void> {
  const line_relations = [...(await learnLineRelations(warehouse.db, shopId))];
  await updateShopState(warehouse.db, shopId, { line_relations }, Temporal.Now.instant());
}

async function meaning(shopId: number): Promise<unknown> {
  await learn(shopId);
  const rows = await warehouse.rows(
    sql`SELECT DISTINCT item_count_means AS means FROM bi.data_quality WHERE shop_id = ${shopId}`,
  );
  return rows.map(({ means }) => means).join();
}

test.for<[string, readonly Order[], string]>([
  ['fewer than thirty prove nothing', times(29, 'lines'), 'units'],
  ['thirty are enough, beside others that say nothing', [...times(30, 'lines'), ...silent], 'lines'],
  ['though one in ten of all counts otherwise', [...times(36, 'lines'), ...times(4, 'units')], 'lines'],
  ['not though more do', [...times(36, 'lines'), ...times(5, 'units')], 'units'],
  ['two counts prove nothing', times(60, 'lines').filter(({ items }) => items !== 3), 'units'],
  ['deleted ones prove nothing', [...times(30, 'lines', { isDeleted: true }), ...silent], 'units'],
  [
    'nor against others',
    [
      ...times(30, 'lines', { day: '2025-03-01' }),
      ...times(300, 'units', { day: '2026-03-01', isDeleted: true }),
    ],
    'lines',
  ],
  ['those without a date prove nothing', times(30, 'lines', { day: null }), 'units'],
  ['missing ones do, as they may come back', times(30, 'lines', { isMissing: true }), 'lines'],
  [
    'the latest 300 do, not those before',
    [...times(305, 'units', { day: '2025-03-01' }), ...times(270, 'lines', { day: '2026-03-01' })],
    'lines',
  ],
])('how a shop counts is learned from its orders: %s', async ([what, orders, means]) => {
  expect(await meaning(await loadShop(warehouse.db, what, orders))).toBe(means);
});

test('orders whose lines are outdated prove nothing of how a shop counts', async () => {
  const shopId = await loadShop(warehouse.db, 'outdated', times(30, 'lines'));
  await warehouse.rows(sql`UPDATE core.orders SET lines_state = 'pending' WHERE shop_id = ${shopId}`);
  expect(await meaning(shopId)).toBe('units');
});

/** Orders whose sum leaves out what the delivery costs, or has it in. */
const sold = (orders: number, delivery: number) =>
  Array.from({ length: orders }, (_, index) => {
    const cents = 1_000 + (index % 3) * 100;
    return order({ lines: [{ ...line(1), cents }], cents: cents + delivery });
  });

test.each([
  ['thirty without it', sold(30, 0), null],
  ['fewer', sold(29, 0), 'sum without delivery'],
  ['some with it', [...sold(36, 0), ...sold(4, 400)], null],
  ['more with it', [...sold(36, 0), ...sold(5, 400)], 'sum without delivery'],
])('whether sums have the delivery in is learned from the orders: %s', async (name, orders, problem) => {
  const shopId = await loadShop(warehouse.db, `delivery ${name}`, orders);
  await warehouse.rows(sql`UPDATE core.orders SET delivery_price = 4 WHERE shop_id = ${shopId}`);
  await learn(shopId);
  const rows = await warehouse.rows(sql`
    SELECT DISTINCT problems FROM bi.data_quality WHERE shop_id = ${shopId} AND order_sum < 14`);
  expect(rows).toEqual([{ problems: problem }]);
});

test('an order that does not do as the shop does contradicts its lines', async () => {
  const usual = sold(40, 0);
  const wrong = [
    order({ lines: [{ ...line(2), cents: 900 }], items: 2 }),
    order({ lines: [line(1), line(1)], items: 7 }),
  ];
  const shopId = await loadShop(warehouse.db, 'contradicted', [...usual, ...wrong]);
  await learn(shopId);
  const rows = await warehouse.rows(sql`
    SELECT is_count_kept, is_sum_kept, is_doubtful, problems FROM core.line_checks JOIN bi.data_quality USING (shop_id, order_id)
    WHERE shop_id = ${shopId} AND order_id >= ${wrong[0]?.id} ORDER BY order_id`);
  expect(rows).toEqual([
    {
      is_count_kept: null,
      is_sum_kept: false,
      is_doubtful: true,
      problems: 'lines contradict order, sum differs',
    },
    { is_count_kept: null, is_sum_kept: true, is_doubtful: false, problems: 'item count differs' },
  ]);
});

/** What the relations say, by an order with three lines: each holds for it, and no other of the same figure. */
test.each([
  ['lines', { item_count: 3 }],
  ['units', { item_count: 6 }],
  ['total', { order_sum: 90 }],
  ['total+delivery', { order_sum: 94 }],
  ['discounted', { order_sum: 81 }],
  ['discounted+delivery', { order_sum: 85 }],
  ['list', { order_sum: 120 }],
  ['list+delivery', { order_sum: 124 }],
])(
  'it is learned that a shop sends %s, and each line may have been rounded by a cent',
  async (relation, figures) => {
    const orders = Array.from({ length: 36 }, (_, index) => {
      const line = lineOf({ quantity: 2, cents: 3_000, listCents: 4_000 });
      return order({ lines: Array.from({ length: 1 + (index % 3) }, () => line) });
    });
    const shopId = await loadShop(warehouse.db, `tells ${relation}`, orders);
    const [name = '', of = 0] = Object.entries(figures)[0] ?? [];
    const delivery = relation.endsWith('+delivery') ? 4 : 0;
    const column = sql.raw(name);
    await warehouse.rows(sql`
    UPDATE core.orders o SET item_count = NULL, order_sum = NULL, delivery_price = 4, discount_raw = '10%', discount_percent = 10
    WHERE shop_id = ${shopId}`);
    await warehouse.rows(sql`
    UPDATE core.orders o SET ${column} = (${of}::numeric - ${delivery}) * c.line_count / 3 + ${delivery}
    FROM core.line_checks c WHERE o.shop_id = ${shopId} AND c.shop_id = o.shop_id AND c.order_id = o.order_id`);
    await learn(shopId);
    const checks = () =>
      warehouse.rows(sql`
      SELECT DISTINCT relations, is_doubtful FROM core.line_checks WHERE shop_id = ${shopId} ORDER BY is_doubtful`);
    expect(await checks()).toEqual([{ relations: [relation], is_doubtful: false }]);
    const move = (by: number) =>
      warehouse.rows(sql`
      UPDATE core.orders SET ${column} = ${column} + ${by} WHERE shop_id = ${shopId} AND order_id = ${orders[2]?.id}`);
    if (name === 'order_sum') {
      await move(0.03);
      expect(await checks()).toEqual([{ relations: [relation], is_doubtful: false }]);
    }
    await move(name === 'order_sum' ? 0.01 : 0.001);
    expect(await checks()).toEqual([
      { relations: [relation], is_doubtful: false },
      { relations: [relation], is_doubtful: true },
    ]);
  },
);
