/** What is said of queries that PostgreSQL refuses. */
import { expect, test } from 'vitest';

import { describeError } from '../../../src/cli/output/describe-error.ts';
import { QueryError } from '../../../src/model/errors.ts';
import { readQuery } from '../../../src/warehouse/query/read-query.ts';
import { fileWarehouse } from '../../warehouse/test-warehouse.ts';

const warehouse = fileWarehouse();

/** What is said of a query that fails. */
async function fail(text: string): Promise<string> {
  const { signal } = new AbortController();
  const request = {
    text,
    role: 'bi_reader',
    searchPath: 'bi',
    timezone: 'UTC',
    timeoutMs: 9_000,
    signal,
  } as const;
  const error: unknown = await readQuery(warehouse.database, request, async ({ batches }) => {
    await Array.fromAsync(batches);
  }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof QueryError))
    throw new Error(`this did not fail as a query: ${text}`, { cause: error });
  return describeError(error).text;
}

test('a mistake that only shows when the query runs is one of the query, too', async () => {
  expect(await fail('SELECT shop FROM orders WHERE order_id = $1')).toContain('supplies 0 parameters');
  expect(await fail('SELECT 1 / (n - 1500) FROM generate_series(1, 2000) AS n')).toContain(
    'division by zero',
  );
});

test('a missing resource or an action of the operator is no mistake of the query', async () => {
  await warehouse.database.query(`
    CREATE FUNCTION bi.fail(code text) RETURNS integer LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'there is no room' USING ERRCODE = code; END $$`);
  expect(await fail("SELECT fail('22012')")).toContain('there is no room');
  for (const code of ['08006', '28000', '53100', '57P01', '58030', 'XX001']) {
    await expect(fail(`SELECT fail('${code}')`), code).rejects.toThrow('this did not fail as a query');
  }
});
