/** Hints for queries that PostgreSQL refuses. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { describeQueryFailure } from '../../../src/cli/output/query-failure.ts';
import { QueryError } from '../../../src/warehouse/query/query-error.ts';
import { readQuery } from '../../../src/warehouse/query/read-query.ts';
import { readViews, type View } from '../../../src/warehouse/query/read-views.ts';
import { openTestWarehouse, type TestWarehouse } from '../../warehouse/test-warehouse.ts';

let warehouse: TestWarehouse;
let views: readonly View[];

beforeAll(async () => {
  warehouse = await openTestWarehouse();
  views = await readViews(warehouse.database, ['bi', 'bi_pii']);
});
afterAll(() => warehouse[Symbol.asyncDispose]());

/** What is said of a query that fails. */
async function fail(text: string, role: 'bi_reader' | 'bi_pii_reader' = 'bi_reader'): Promise<string> {
  const searchPath = role === 'bi_reader' ? 'bi' : 'bi, bi_pii';
  const { signal } = new AbortController();
  const request = { text, role, searchPath, timezone: 'UTC', timeoutMs: 9_000, asJson: false, signal };
  const error: unknown = await readQuery(warehouse.database, request, async (_columns, batches) => {
    await Array.fromAsync(batches);
  }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof QueryError))
    throw new Error(`this did not fail as a query: ${text}`, { cause: error });
  return describeQueryFailure(error, text, { views, role, timeout: '9s', columns: undefined });
}

const hintOf = (message: string) => /\nHint: (.*)\n$/.exec(message)?.[1] ?? null;

/** What people who know other databases, or none, type; null: no hint of ours. */
const MISTAKES: readonly (readonly [query: string, hint: string | null])[] = [
  ['SELECT * FROM orders WHERE status = Delivered', "Text goes in single quotes: 'Delivered'."],
  ['SELECT * FROM orders WHERE status = "Delivered"', "Text goes in single quotes: 'Delivered'."],
  ['SELECT * FROM orders WHERE status LIKE "%new%"', "Text goes in single quotes: '%new%'."],
  ['SELECT * FROM orders WHERE status IN (New, Delivered)', "Text goes in single quotes: 'New'."],
  ['SELECT * FROM orders WHERE status = Доставлен', "Text goes in single quotes: 'Доставлен'."],
  ['SELECT * FROM orders WHERE status = ‘Delivered’', "Text goes in straight single quotes: 'Delivered'."],
  ['SELECT * FROM orders WHERE status = paid', "'paid'. paid is a column of bi.daily_sales."],
  ['SELECT * FROM orders WHERE order_sum > paid_amout', 'Perhaps you meant'],
  ['SELECT order_sum AS s FROM orders WHERE s > 5', 'repeat what s stands for'],
  ['SELECT sum(order_sum) AS total FROM orders HAVING total > 5', 'repeat what total stands for'],
  ['SELECT currency, sum(order_sum) FROM orders', 'Add currency to GROUP BY, or'],
  ['SELECT shop FROM orders WHERE sum(order_sum) > 5', 'HAVING sum(order_sum) > 100'],
  [
    'SELECT currency FROM orders JOIN order_lines USING (shop_id, order_id)',
    'Several views of the query have it',
  ],
  ['SELECT * FROM orders WHERE order_date = 2026-11-01', "Dates go in single quotes: '2026-11-01'."],
  ['SELECT * FROM orders WHERE order_date > 20261101', "Dates go in single quotes: '2026-11-30'."],
  ['SELECT * FROM orders WHERE order_date BETWEEN 2026-11-01 AND 2026-11-30', 'Dates go in single quotes:'],
  ['SELECT * FROM orders WHERE order_date > 01.11.2026', 'Dates go in single quotes, with the year first'],
  ["SELECT * FROM orders WHERE order_date > '30.11.2026'", 'Dates are written with the year first'],
  ["SELECT * FROM orders WHERE order_date > '2026-02-30'", null],
  ['SELECT * FROM orders WHERE created_at > now() - 30', "now() - interval '30 days'"],
  ['SELECT * FROM orders WHERE is_sale = 1', 'WHERE is_sale, or WHERE NOT is_sale'],
  ['SELECT * FROM orders WHERE order_sum == 5', 'Equality is written with one ='],
  ['SELECT MONTH(order_date) FROM orders', 'In PostgreSQL it is extract(month FROM order_date).'],
  ['SELECT DATEDIFF(day, order_date, now()) FROM orders', 'In PostgreSQL it is one date - another'],
  ['SELECT ifnull(order_sum, 0) FROM orders', 'In PostgreSQL it is coalesce(value, 0).'],
  ['SELECT round(1.5::float8, 2)', 'round(value::numeric, 2)'],
  ['SELECT nonsense(order_sum) FROM orders', 'No function matches'],
  ['SELECT TOP 5 * FROM orders', 'Write LIMIT 5 at the end of the query.'],
  ['SELECT TOP(5) order_id FROM orders', 'In PostgreSQL it is LIMIT 5'],
  ['SELECT `order_id` FROM `orders`', 'Names stand without backticks'],
  ["SELECT * FROM orders WHERE pay_method = '`' AND", null],
  ['SELECT * FROM orders ORDER', null],
  ['SELECT * FROM ORDER BY 1', null],
  ['SELECT order_id, FROM orders', 'There is a comma too many before FROM.'],
  ['SELECT "ORDER_DATE" FROM orders', 'Names are in lower case: order_date.'],
  ['SELECT * FROM "Orders"', 'Did you mean bi.orders?'],
  ['ВЫБРАТЬ * ИЗ orders', 'with the English words of SQL'],
  ['SELECT заказ FROM orders', 'order-sync sql --views VIEW'],
  [
    'SELECT email FROM orders',
    'bi_pii.order_contacts has buyer_email, bi_pii.users has email; --pii shows them.',
  ],
  [
    'SELECT buyer_phone FROM orders',
    'bi_pii.order_contacts has buyer_phone, bi_pii.users has phone; --pii shows them.',
  ],
  ['SELECT customer_name FROM orders', 'bi_pii.order_contacts has buyer_name'],
  ['SELECT * FROM order_contacts', 'bi_pii.order_contacts holds personal data: --pii shows it.'],
  ['SELECT product_name FROM orders', 'product_name is a column of bi.basket, bi.order_lines, '],
  ['SELECT o.product_name FROM orders o', 'product_name is a column of bi.basket, '],
  ['SELECT orders.order_date FROM orders o', 'Perhaps you meant'],
  ['SELECT orders.order_date FROM order_lines', 'Name it after FROM or JOIN'],
  ['help', 'order-sync sql --views lists'],
  ['DESCRIBE orders', 'order-sync sql --views lists'],
  ['SHOW TABLES', 'order-sync sql --views lists'],
  [String.raw`\q`, 'order-sync sql --views lists'],
];

test.each(MISTAKES)('%s', async (query, hint) => {
  expect(hintOf(await fail(query))).toEqual(hint === null ? null : expect.stringContaining(hint));
});

test('who may see personal data is not told of the option for it', async () => {
  expect(hintOf(await fail('SELECT email FROM orders', 'bi_pii_reader'))).toBe(
    'This is personal data: bi_pii.order_contacts has buyer_email, bi_pii.users has email.',
  );
  expect(hintOf(await fail('SELECT * FROM usrs', 'bi_pii_reader'))).toBe('Did you mean bi_pii.users?');
});
