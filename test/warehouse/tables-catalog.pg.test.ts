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
import { longTest } from '../support/long-test.ts';

const TABLES = [ops, orders, raw, shopState, shops, users]
  .flatMap((theme): readonly unknown[] => Object.values(theme))
  .filter((value) => is(value, PgTable))
  .map((table) => getTableConfig(table));

/** As PostgreSQL cuts it. */
const inName = (name: string | undefined) => (name ?? '').slice(0, 63);

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
  constraints: [
    ...table.columns.flatMap(({ primary }) => (primary ? [`${table.name}_pkey`] : [])),
    ...table.columns.flatMap(({ isUnique, uniqueName }) => (isUnique ? [inName(uniqueName)] : [])),
    ...table.primaryKeys.map((key) => inName(key.getName())),
    ...table.uniqueConstraints.map((key) => inName(key.getName())),
    ...table.foreignKeys.map((key) => inName(key.getName())),
    ...table.checks.map(({ name }) => inName(name)),
  ].toSorted(),
  indexes: table.indexes.map(({ config }) => inName(config.name)).toSorted(),
}));

const CATALOG = `
  SELECT n.nspname || '.' || c.relname AS table,
    (SELECT json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod), 'isRequired', attnotnull,
        'hasDefault', atthasdef OR attidentity <> '') ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
    ARRAY(SELECT conname::text FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'u', 'f', 'c')
      ORDER BY conname COLLATE "C") AS constraints,
    ARRAY(SELECT indexrelid::regclass::name::text FROM pg_index i WHERE i.indrelid = c.oid
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid) ORDER BY 1) AS indexes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname IN ('core', 'raw', 'ops')`;

test('tables have the columns, types, constraints and indexes that the schema in TypeScript declares', async () => {
  await using server = await emptyDatabase();
  await withClient(server.url, async (client) => {
    await client.query('SET search_path = core, raw, ops');
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

/** What tables, constraints, indexes and defaults are, in PostgreSQL's words. */
const DEFINITIONS = `
  SELECT conrelid::regclass || ' ' || conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE contype IN ('p', 'u', 'f', 'c') AND conrelid = ANY ($1::regclass[])
  UNION ALL SELECT 'index ' || indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index
  WHERE indrelid = ANY ($1::regclass[])
  UNION ALL SELECT adrelid::regclass || '.' || attname, pg_get_expr(adbin, adrelid) || ' ' || attgenerated::text
  FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = ANY ($1::regclass[]) ORDER BY 1`;
/** What a declaration cannot say, or is not for every database. */
const ONLY_MIGRATED: readonly string[] = [
  'index core.orders_shop_customer_created_idx',
  'core.shops.versions_since',
];

longTest('constraints, indexes and defaults are what the schema in TypeScript declares', async () => {
  const { generateDrizzleJson, generateMigration } = await import('drizzle-kit/api');
  const schema = Object.assign({}, ops, orders, raw, shopState, shops, users);
  const statements = await generateMigration(
    generateDrizzleJson({}),
    generateDrizzleJson(schema, undefined, ['core', 'raw', 'ops']),
  );
  await using server = await emptyDatabase();
  await withClient(server.url, async (client) => {
    const read = async () => {
      const { rows } = await client.query<{ name: string; definition: string }>(DEFINITIONS, [
        declared.map(({ table }) => table),
      ]);
      return rows.filter(({ name }) => !ONLY_MIGRATED.includes(name));
    };
    const migrated = await read();
    expect(migrated.length).toBeGreaterThan(100);
    await client.query('DROP SCHEMA core, raw, ops, bi, bi_pii CASCADE');
    await client.query(statements.join(';'));
    expect(migrated).toEqual(await read());
  });
});
