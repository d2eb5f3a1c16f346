/** Every key leads with the shop, so that the tables can be distributed, or partitioned, by it. */
import { expect, test } from 'vitest';

import { withClient } from '../support/database-clients.ts';
import { emptyDatabase } from '../support/database.ts';
import { fileWarehouse } from './test-warehouse.ts';

const warehouse = fileWarehouse(emptyDatabase);

/** Keys that do not, each with the reason why it may stay so. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'core.shops shops_shop_key_unique': 'a few rows, which every node of a Citus holds',
  'ops.rejections rejections_pkey': 'stays on the coordinator; people name a rejection by its number',
  'ops.runs runs_pkey': 'stays on the coordinator; people name a run by its number',
};

/** Tables without a shop: nothing that a shop sent is in them. */
const WITHOUT_SHOP: readonly string[] = ['ops.migrations'];

type Key = { readonly key: string; readonly columns: readonly string[]; readonly refers: readonly string[] };

/** Unique indexes, those of primary keys and unique constraints among them, and foreign keys with what they refer to. */
const KEYS = `
  WITH tables AS (
    SELECT oid, oid::regclass::text AS name FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text IN ('core', 'raw', 'ops')
  ), keys AS (
    SELECT indrelid AS owner, relname::text AS name, indkey::int2[] AS columns, 0::oid AS target,
      '{}'::int2[] AS refers
    FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indisunique
    UNION ALL
    SELECT conrelid, conname::text, conkey, confrelid, confkey FROM pg_constraint WHERE contype = 'f'
  )
  SELECT t.name || ' ' || k.name AS key,
    ARRAY(SELECT attname::text FROM unnest(k.columns) WITH ORDINALITY AS c(num, place)
      JOIN pg_attribute ON attrelid = k.owner AND attnum = num ORDER BY place) AS columns,
    ARRAY(SELECT attname::text FROM unnest(k.refers) WITH ORDINALITY AS c(num, place)
      JOIN pg_attribute ON attrelid = k.target AND attnum = num ORDER BY place) AS refers
  FROM keys k JOIN tables t ON t.oid = k.owner ORDER BY 1`;

test('every primary, unique and foreign key leads with shop_id, but for those listed here', async () => {
  await withClient(warehouse.url, async (client) => {
    await client.query('SET search_path = pg_catalog');
    const { rows } = await client.query<Key>(KEYS);
    const leads = ({ columns, refers }: Key) =>
      columns[0] === 'shop_id' && (refers.length === 0 || refers[0] === 'shop_id');
    const others = rows.filter((row) => !leads(row)).map(({ key }) => key);
    const withoutShop = others.filter((key) => WITHOUT_SHOP.some((table) => key.startsWith(`${table} `)));
    expect(others.filter((key) => !withoutShop.includes(key))).toEqual(Object.keys(EXCEPTIONS));
    expect(rows.length).toBeGreaterThan(40);
  });
});

test('every table has a shop_id that is never NULL, but for those listed here', async () => {
  const { rows } = await warehouse.database.query(`
    SELECT schemaname || '.' || tablename AS name FROM pg_tables
    WHERE schemaname IN ('core', 'raw', 'ops') AND NOT EXISTS (
      SELECT FROM pg_attribute WHERE attrelid = format('%I.%I', schemaname, tablename)::regclass
        AND attname = 'shop_id' AND attnotnull)
    ORDER BY 1`);
  expect(rows.map(({ name }) => String(name))).toEqual(WITHOUT_SHOP);
});
