/** A table of its own to try the upsert on: a key of two columns, and a column of each kind. */
import { sql } from 'drizzle-orm';
import { jsonb, numeric, pgSchema, primaryKey, text } from 'drizzle-orm/pg-core';

import type { JsonValue } from '../../src/model/json.ts';
import { id64, instant } from '../../src/warehouse/schema/columns.ts';
import { upsert } from '../../src/warehouse/db/upsert.ts';
import { openTestWarehouse } from './test-warehouse.ts';

const things = pgSchema('try').table(
  'things',
  {
    place: text('place').notNull(),
    id: id64('id').notNull(),
    name: text('name'),
    amount: numeric('amount', { precision: 14, scale: 2 }),
    body: jsonb('body').$type<JsonValue>(),
    seen_at: instant('seen_at'),
    hits: text('hits'),
  },
  (table) => [primaryKey({ columns: [table.place, table.id] })],
);
type Thing = typeof things.$inferInsert;
export type Options = Parameters<typeof upsert<typeof things>>[3];

export type Things = AsyncDisposable & {
  put(rows: readonly Thing[], options?: Options): Promise<number>;
  /** The rows by id, `body` as text. */
  held(): Promise<readonly Record<string, unknown>[]>;
  /** The version of each row: it differs when the row was written, even with the values it had. */
  versions(): Promise<readonly Record<string, unknown>[]>;
  clear(): Promise<void>;
};

export async function openThings(): Promise<Things> {
  const warehouse = await openTestWarehouse();
  await warehouse.rows(sql`CREATE SCHEMA try`);
  await warehouse.rows(sql`
    CREATE TABLE try.things (place text, id bigint, name text, amount numeric(14,2), body jsonb, seen_at timestamptz,
      hits text, PRIMARY KEY (place, id))`);
  return {
    put: async (rows, options) => (await warehouse.write((tx) => upsert(tx, things, rows, options))).length,
    held: () =>
      warehouse.rows(sql`
        SELECT id, name, amount, body::text AS body, seen_at, hits FROM try.things ORDER BY id`),
    versions: () => warehouse.rows(sql`SELECT id, xmin FROM try.things ORDER BY id`),
    clear: async () => void (await warehouse.rows(sql`TRUNCATE try.things`)),
    [Symbol.asyncDispose]: () => warehouse[Symbol.asyncDispose](),
  };
}

export const thing = (id: string, changes: Partial<Thing> = {}): Thing => ({
  place: 'here',
  id,
  name: `thing ${id}`,
  amount: '1.50',
  body: { list: [1, 'two'] },
  seen_at: Temporal.Instant.from('2026-03-01T00:00:00Z'),
  hits: null,
  ...changes,
});
