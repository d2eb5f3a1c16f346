/** Columns of any type that a query can have. */
import { expect, test } from 'vitest';

import { type QueryRow, readQuery } from '../../../src/warehouse/query/read-query.ts';
import { withClient } from '../../support/database-clients.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();

async function read(text: string): Promise<readonly QueryRow[]> {
  const found: QueryRow[] = [];
  const request = { role: 'bi_reader', searchPath: 'bi', timezone: 'UTC', timeoutMs: 60_000 } as const;
  const { signal } = new AbortController();
  await readQuery(warehouse.database, { ...request, text, signal }, async ({ batches }) => {
    for await (const rows of batches) found.push(...rows);
  });
  return found;
}

/** Tries each type by itself: the server cannot say otherwise. */
const SELECTABLE = `
  DO $$
  DECLARE name text;
  BEGIN
    CREATE TEMP TABLE selectable (name text);
    FOR name IN SELECT format_type(oid, -1) FROM pg_type
      WHERE has_schema_privilege('bi_reader', typnamespace, 'USAGE') AND typnamespace <> pg_my_temp_schema()
    LOOP
      BEGIN
        EXECUTE 'SELECT NULL::' || name;
        INSERT INTO selectable VALUES (name);
      EXCEPTION WHEN OTHERS THEN NULL;
      END;
    END LOOP;
  END $$`;

test('a column may have any type that can be selected', async () => {
  const { rows } = await withClient(warehouse.url, async (client) => {
    await client.query(SELECTABLE);
    return client.query('SELECT name FROM selectable ORDER BY name');
  });
  const types = rows.map(({ name }: { readonly name: string }) => name);
  const some = 'information_schema.sql_identifier|"char"|record|void|regclass|bi.orders'.split('|');
  expect(types).toEqual(expect.arrayContaining(some));
  for (let at = 0; at < types.length; at += 100) {
    const some = types.slice(at, at + 100);
    const query = `SELECT ${some.map((type) => `NULL::${type}`).join(', ')};`;
    expect(await read(query)).toEqual([some.map(() => null)]);
  }
});

test('values of unusual types are written as PostgreSQL writes them', async () => {
  const cases: readonly (readonly [query: string, text: string])[] = [
    ["SELECT 'x'::information_schema.sql_identifier AS a; -- done", 'x'],
    ["SELECT ARRAY['x'::information_schema.sql_identifier] AS a", '{x}'],
    ['SELECT 7::information_schema.cardinal_number AS a', '7'],
    ['SELECT pg_sleep(0) AS a', ''],
    ["SELECT ROW(1, 'b') AS a", '(1,b)'],
    ["SELECT ARRAY[ROW(1, 'b')] AS a", '{"(1,b)"}'],
    [`SELECT 'c'::"char" AS a`, 'c'],
    ["SELECT 'pg_class'::regclass AS a", 'pg_class'],
    ['SELECT 12::oid AS a', '12'],
    [`SELECT '{"b": [1]}'::json AS a`, '{"b": [1]}'],
    ['SELECT \'x\'::text COLLATE "C" AS a', 'x'],
    ['SHOW transaction_read_only', 'on'],
    ['VALUES (3)', '3'],
  ];
  for (const [query, text] of cases)
    expect({ query, rows: await read(query) }).toEqual({ query, rows: [[text]] });
});

test('the catalog and the information schema can be read', async () => {
  const tables = ['columns', 'views', 'tables'].map((name) => `information_schema.${name}`);
  const catalogs = [
    ...tables,
    ...'class attribute type proc stats'.split(' ').map((name) => `pg_catalog.pg_${name}`),
  ];
  for (const catalog of catalogs) {
    const rows = await read(`SELECT * FROM ${catalog} LIMIT 2`);
    if (catalog !== 'pg_catalog.pg_stats') expect(rows).toHaveLength(2);
  }
  const names = await read(
    "SELECT column_name FROM information_schema.columns WHERE table_name = 'customers'",
  );
  expect(names).toContainEqual(['customer_key']);
  expect((await read('EXPLAIN (FORMAT JSON) SELECT 1'))[0]?.[0]).toContain('"Plan"');
});
