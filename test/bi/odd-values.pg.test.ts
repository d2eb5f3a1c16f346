/** What bi.orders makes of amounts, discounts and names that are odd or absent. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { showFields } from '../support/show-fields.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { enterFields, lineOf, loadShop, order, type Order } from '../warehouse/views/views-load.ts';

const warehouse = fileWarehouse();

/** Values of columns that an order gets, and what the view then says in some columns. */
async function shown(cases: readonly Readonly<Record<string, string | null>>[], columns: string) {
  const given = cases.map((values) => ({ values, order: order({}) }));
  const shopId = await loadShop(
    warehouse.db,
    `odd ${columns}`,
    given.map((each) => each.order),
  );
  for (const { values, order: its } of given) {
    const set = Object.entries(values).map(([name, value]) => sql`${sql.raw(name)} = ${value}`);
    await warehouse.rows(sql`
      UPDATE core.orders SET ${sql.join(set, sql`, `)} WHERE shop_id = ${shopId} AND order_id = ${its.id}`);
  }
  const rows = await warehouse.rows(
    sql`SELECT ${sql.raw(columns)} FROM bi.orders WHERE shop_id = ${shopId} ORDER BY order_id`,
  );
  return rows.map((row) => Object.values(row));
}

test('what is due counts an absent amount as zero; what a sale still owes is unknown without both', async () => {
  const amounts = [
    ['100.00', '30.00'],
    ['100.00', null],
    [null, '30.00'],
    [null, null],
    ['100.00', '130.00'],
  ] as const;
  const cases = amounts.map(([order_sum, paid_amount]) => ({ order_sum, paid_amount }));
  expect(await shown(cases, 'amount_due, outstanding')).toEqual([
    ['70.00', '70.00'],
    ['100.00', null],
    ['-30.00', null],
    ['0.00', null],
    ['-30.00', '0.00'],
  ]);
});

test('an order that is no sale owes nothing, unless its total or what was paid is unknown', async () => {
  const cancelled = { status_code: 'F' };
  const cases = [
    { ...cancelled, order_sum: '100.00', paid_amount: '30.00' },
    { ...cancelled, order_sum: null, paid_amount: '30.00' },
    { ...cancelled, order_sum: '100.00', paid_amount: null },
  ];
  expect((await shown(cases, 'outstanding')).flat()).toEqual(['0.00', null, null]);
});

test('a discount is an amount as people write it, or unknown; without one it is zero', async () => {
  const texts = [null, '100', ' 12,50 ', '12.5', '1.234,50', 'a gift', '12,345'];
  const cases = texts.map((discount_raw) => ({ discount_raw }));
  expect((await shown(cases, 'order_discount')).flat()).toEqual([
    '0.00',
    '100.00',
    '12.50',
    '12.50',
    null,
    null,
    null,
  ]);
});

test('the account of all guests and erased ones are no persons', async () => {
  const shopId = await loadShop(warehouse.db, 'accounts', []);
  const states = ['ok', 'pending', 'not_found', 'failed', 'guest', 'erased'];
  for (const [index, state] of states.entries()) {
    await warehouse.rows(sql`
      INSERT INTO core.users (shop_id, user_oid, fetch_state) VALUES (${shopId}, ${100 + index}, ${state})`);
  }
  const persons = await warehouse.rows(
    sql`SELECT fetch_state AS state, customer_key AS key FROM bi_pii.users WHERE shop_id = ${shopId} ORDER BY user_oid`,
  );
  expect(persons).toEqual(states.slice(0, 4).map((state, index) => ({ state, key: `u:${100 + index}` })));
});

test('an order without a sum counts, but in no average', async () => {
  const shopId = await loadShop(warehouse.db, 'averages', [order({ cents: 1_000 }), order({ cents: null })]);
  for (const view of ['sales_by_hour', 'group_sales', 'daily_sales', 'customers', 'customer_currencies']) {
    const rows = await warehouse.rows(sql`
      SELECT orders::int, avg_order_value AS average FROM ${sql.raw(`bi.${view}`)} WHERE shop_id = ${shopId}`);
    expect(rows, view).toEqual([{ orders: 2, average: '10.00' }]);
  }
});

test('a customer who buys twice on a day is one customer, whatever the sales are divided by', async () => {
  const shopId = await loadShop(warehouse.db, 'twice a day', [order({}), order({})]);
  await enterFields(warehouse.db, shopId, { source: { value: 'Ads' } });
  await showFields(warehouse.db, shopId, 'source');
  const views = await warehouse.rows(sql`
    SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'bi' AND column_name = 'customers'`);
  const found: Record<string, unknown> = {};
  for (const { name } of views) {
    const rows = await warehouse.rows(
      sql`SELECT max(customers)::int AS most FROM ${sql.raw(`bi.${String(name)}`)} WHERE shop_id = ${shopId}`,
    );
    found[String(name)] = rows[0]?.['most'];
  }
  expect(found).toEqual({
    cohort_revenue: 1,
    cohorts_monthly: 1,
    daily_sales: 1,
    group_sales: 1,
    sales_by_field: 1,
  });
});

const line = (cents: number | null, quantity: number | null, product = '7') =>
  lineOf({ product, quantity, cents });
const WITHOUT = [line(1_000, 2), line(700, null), line(null, 3)];
const TWICE = [line(1_000, 1), line(1_000, 2), line(500, 1, '8'), line(500, 1, '8')];
const PAIRS = [order({ lines: TWICE }), order({ lines: [line(1, 1)] })];

test.for<[what: string, orders: readonly Order[], query: string, rows: readonly object[]]>([
  [
    'of currencies with as many sales, the main one is that of the latest sale of the day',
    // Of orders of a day, the one with the lower number was placed later.
    [order({ currency: 'USD' }), order({ currency: 'BYN' })],
    'currency FROM bi.customers',
    [{ currency: 'USD' }],
  ],
  [
    'what the reports show now has no end',
    [order({})],
    'valid_until FROM bi.order_versions',
    [{ valid_until: null }],
  ],
  [
    'a sale without a day, a currency or a sum counts, and brings no customer a second time',
    [
      order({ cents: 4_000, day: null, customer: 'u:4' }),
      order({ cents: 2_500, customer: 'u:4' }),
      order({
        cents: null,
        paidCents: null,
        items: null,
        currency: null,
        day: '2026-03-02',
        customer: 'u:4',
      }),
    ],
    `order_date::text AS day, currency, orders::int, revenue, avg_order_value AS average, new_customers::int AS new
     FROM bi.daily_sales`,
    [
      { day: '2026-03-01', currency: 'EUR', orders: 1, revenue: '25.00', average: '25.00', new: 1 },
      { day: '2026-03-02', currency: null, orders: 1, revenue: '0.00', average: null, new: 0 },
      { day: null, currency: 'EUR', orders: 1, revenue: '40.00', average: '40.00', new: 0 },
    ],
  ],
  [
    'a line without a quantity or an amount is sold, but in no average',
    [order({ lines: WITHOUT })],
    'orders::int, quantity, revenue, avg_unit_price AS average, line_discount AS discount FROM bi.product_sales',
    [{ orders: 1, quantity: '5.000', revenue: '17.00', average: '5.00', discount: '0.00' }],
  ],
  [
    'a customer of whose sales no day is known is of no month, and counts once in whatever currencies',
    [order({ day: null }), order({ day: null }), order({ day: null, currency: 'USD' })],
    `cohort_month AS month, months_since AS since, cohort_customers::int AS of, customers::int, orders::int,
     retention_percent AS percent FROM bi.cohorts_monthly`,
    [{ month: null, since: 0, of: 1, customers: 1, orders: 3, percent: '100.0000' }],
  ],
  [
    'an order with several lines of a product has it once',
    PAIRS,
    'product_oid::text AS id, orders::int FROM bi.products',
    [
      { id: '7', orders: 2 },
      { id: '8', orders: 1 },
    ],
  ],
  [
    'and is once in the basket',
    PAIRS,
    `product_oid::text AS id, orders_together::int AS both, product_orders::int AS one, with_product_orders::int AS other,
     all_orders::int AS all FROM bi.basket`,
    [
      { id: '7', both: 1, one: 2, other: 1, all: 2 },
      { id: '8', both: 1, one: 1, other: 2, all: 2 },
    ],
  ],
  [
    'cohorts are told up to the month of the last sale, whatever else was ordered since',
    [
      order({}),
      order({ day: '2026-04-01', customer: 'u:2', cents: null }),
      order({ day: '2026-06-01', status: 'F' }),
      order({ day: '2026-07-01', isDeleted: true }),
    ],
    'cohort_month::text AS month, months_since AS since, customers::int FROM bi.cohorts_monthly',
    [
      { month: '2026-03-01', since: 0, customers: 1 },
      { month: '2026-03-01', since: 1, customers: 0 },
      { month: '2026-04-01', since: 0, customers: 1 },
    ],
  ],
  [
    'customers who bought in several currencies from the same day on are a cohort of as many',
    ['u:1', 'u:2', 'u:3'].flatMap((customer) =>
      [{}, { currency: 'USD' }, { day: '2026-04-02' }].map((changes) => order({ customer, ...changes })),
    ),
    'months_since AS since, cohort_customers::int AS cohort, customers::int, orders::int FROM bi.cohorts_monthly',
    [
      { since: 0, cohort: 3, customers: 3, orders: 6 },
      { since: 1, cohort: 3, customers: 3, orders: 3 },
    ],
  ],
])('%s', async ([what, orders, query, rows]) => {
  const shopId = await loadShop(warehouse.db, what, orders);
  const found = sql`SELECT * FROM (SELECT ${sql.raw(query)} WHERE shop_id = ${shopId}) found ORDER BY found`;
  expect(await warehouse.rows(found)).toEqual(rows);
});
