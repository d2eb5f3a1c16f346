/** The tables that the program writes by Drizzle are those that the migrations create; others stand in SQL alone. */
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';

import * as ops from '../../src/warehouse/schema/ops.ts';
import * as shopState from '../../src/warehouse/schema/shop-state.ts';
import * as orders from '../../src/warehouse/schema/orders.ts';
import * as raw from '../../src/warehouse/schema/raw.ts';
import * as shops from '../../src/warehouse/schema/shops.ts';
import * as users from '../../src/warehouse/schema/users.ts';
import { withClient } from '../support/database-clients.ts';
import { emptyDatabase } from '../support/database.ts';

const TABLES = [ops, orders, raw, shopState, shops, users]
  .flatMap((theme): readonly unknown[] => Object.values(theme))
  .filter((value) => is(value, PgTable))
  .map((table) => getTableConfig(table));

const declared = TABLES.map((table) => ({
  table: `${table.schema}.${table.name}`,
  columns: table.columns.map((column) => ({
    name: column.name,
    type: column
      .getSQLType()
      .replace(', ', ',')
      .replace(/^timestamp$/, 'timestamp without time zone'),
    isRequired: column.notNull,
    hasDefault: column.hasDefault || column.generated !== undefined,
  })),
  key: table.columns.filter(({ primary }) => primary).map(({ name }) => name),
}));

const CATALOG = `
  SELECT n.nspname || '.' || c.relname AS table,
    (SELECT json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod), 'isRequired', attnotnull,
        'hasDefault', atthasdef OR attidentity <> '') ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
    (SELECT json_agg(attname ORDER BY k.place) FROM pg_constraint, unnest(conkey) WITH ORDINALITY AS k (attnum, place)
      JOIN pg_attribute a USING (attnum) WHERE conrelid = c.oid AND contype = 'p' AND attrelid = c.oid) AS key
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname IN ('core', 'raw', 'ops')`;

test('tables have the columns, types and keys that the schema in TypeScript declares', async () => {
  await using server = await emptyDatabase();
  await withClient(server.url, async (client) => {
    const { rows } = await client.query<(typeof declared)[number]>(CATALOG);
    // A column that a migration adds comes last, wherever it is declared.
    const byName = (tables: readonly (typeof declared)[number][]) =>
      Object.fromEntries(
        tables.map(({ table, columns, ...rest }) => {
          const sorted = columns.toSorted((one, other) => (one.name < other.name ? -1 : 1));
          return [table, { ...rest, columns: sorted }];
        }),
      );
    const names = declared.map(({ table }) => table);
    expect(byName(rows.filter(({ table }) => names.includes(table)))).toEqual(byName(declared));
  });
});
