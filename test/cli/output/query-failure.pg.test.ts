/** What is said of queries that PostgreSQL refuses. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { describeQueryFailure } from '../../../src/cli/output/query-failure.ts';
import { QueryError, readQuery } from '../../../src/warehouse/query/read-query.ts';
import { openTestWarehouse, type TestWarehouse } from '../../warehouse/test-warehouse.ts';

let warehouse: TestWarehouse;

beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

/** What is said of a query that fails. */
async function fail(text: string, role: 'bi_reader' | 'bi_pii_reader' = 'bi_reader'): Promise<string> {
  const searchPath = role === 'bi_reader' ? 'bi' : 'bi, bi_pii';
  const { signal } = new AbortController();
  const request = { text, role, searchPath, timezone: 'UTC', timeoutMs: 9_000, signal };
  const error: unknown = await readQuery(warehouse.database, request, async ({ batches }) => {
    await Array.fromAsync(batches);
  }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof QueryError))
    throw new Error(`this did not fail as a query: ${text}`, { cause: error });
  return describeQueryFailure(error, text);
}

const hintOf = (message: string) => /\nHint: (.*)\n$/.exec(message)?.[1] ?? null;

/** null: there is none. */
const MISTAKES: readonly (readonly [query: string, hint: string | null])[] = [
  ['SELECT * FROM orders WHERE order_sum > paid_amout', 'Perhaps you meant'],
  ['SELECT orders.order_date FROM orders o', 'Perhaps you meant'],
  ['SELECT nonsense(order_sum) FROM orders', 'No function matches'],
  ['SELECT заказ FROM orders', null],
  ["SELECT * FROM orders WHERE order_date > '2026-02-30'", null],
  ["SELECT * FROM orders WHERE pay_method = '`' AND", null],
  ['SELECT * FROM orders ORDER', null],
  ['SELECT * FROM ORDER BY 1', null],
  ['SELECT order, shop FROM orders', null],
  ['SELECT order_id, FROM orders', null],
  ['SELECT * FROM ordrs', 'order-sync sql --views'],
  ['SELECT * FROM order', null],
  ['SELECT * FROM order_contacts', '--pii'],
];

test.each(MISTAKES)('%s', async (query, hint) => {
  expect(hintOf(await fail(query))).toEqual(hint === null ? null : expect.stringContaining(hint));
});

test('a mistake that only shows when the query runs is one of the query, too', async () => {
  expect(await fail('SELECT shop FROM orders WHERE order_id = $1')).toContain('supplies 0 parameters');
  expect(await fail('SELECT 1 / (n - 1500) FROM generate_series(1, 2000) AS n')).toContain(
    'division by zero',
  );
});

test('what the server lacks, or is told by its operator, is no mistake of the query', async () => {
  await warehouse.database.query(`
    CREATE FUNCTION bi.fail(code text) RETURNS integer LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'there is no room' USING ERRCODE = code; END $$`);
  expect(await fail("SELECT fail('22012')")).toContain('there is no room');
  for (const code of ['08006', '28000', '53100', '57P01', '58030', 'XX001']) {
    await expect(fail(`SELECT fail('${code}')`), code).rejects.toThrow('this did not fail as a query');
  }
});
