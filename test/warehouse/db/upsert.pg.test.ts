import { sql } from 'drizzle-orm';
import { jsonb, numeric, pgSchema, primaryKey, text } from 'drizzle-orm/pg-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';

import { type JsonValue, parseJson } from '../../../src/model/json.ts';
import { upsert } from '../../../src/warehouse/db/upsert.ts';
import { id64, instant } from '../../../src/warehouse/schema/columns.ts';
import { fileWarehouse } from '../test-warehouse.ts';

/** A key of two columns, and a column of each kind. */
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
type Options = Parameters<typeof upsert<typeof things>>[3];

const warehouse = fileWarehouse();
beforeAll(async () => {
  await warehouse.rows(sql`CREATE SCHEMA try`);
  await warehouse.rows(sql`
    CREATE TABLE try.things (place text, id bigint, name text, amount numeric(14,2), body jsonb, seen_at timestamptz,
      hits text, PRIMARY KEY (place, id))`);
});
const clear = () => warehouse.rows(sql`TRUNCATE try.things`);
beforeEach(clear);

const put = async (rows: readonly Thing[], options?: Options) =>
  (await warehouse.write((tx) => upsert(tx, things, rows, options))).length;
/** The rows by id, `body` as text. */
const held = () =>
  warehouse.rows(sql`SELECT id, name, amount, body::text AS body, seen_at, hits FROM try.things ORDER BY id`);
/** The version of each row: it differs when the row was written, even with the values it had. */
const versions = () => warehouse.rows(sql`SELECT id, xmin FROM try.things ORDER BY id`);

const thing = (id: string, changes: Partial<Thing> = {}): Thing => ({
  place: 'here',
  id,
  name: `thing ${id}`,
  amount: '1.50',
  body: { list: [1, 'two'] },
  seen_at: DAY,
  hits: null,
  ...changes,
});
const DAY = Temporal.Instant.from('2026-03-01T00:00:00Z');
const LATER = DAY.add({ hours: 24 });

test('rows are inserted with every value unchanged', async () => {
  const largest = '9223372036854775807';
  expect(await put([thing(largest), thing('-1', { name: '', amount: '-0.01', body: null })])).toBe(2);
  const seen_at = '2026-03-01 00:00:00+00';
  const body = '{"list": [1, "two"]}';
  expect(await held()).toEqual([
    { id: '-1', name: '', amount: '-0.01', body: null, seen_at, hits: null },
    { id: largest, name: `thing ${largest}`, amount: '1.50', body, seen_at, hits: null },
  ]);
});

test('only rows whose values differ are written: the others keep their version', async () => {
  await put([thing('1'), thing('2'), thing('3', { name: null })]);
  const [one, two, three] = await versions();
  // Other spellings of equal values are no difference.
  const same = thing('1', {
    amount: '1.5',
    seen_at: Temporal.Instant.from('2026-03-01T02:00:00+02:00'),
    body: parseJson('{"list":[1.0,"two"]}'),
  });
  expect(await put([same, thing('2', { amount: '1.51' }), thing('3', { name: null })])).toBe(1);
  expect(await versions()).toEqual([
    one,
    { ...two, xmin: expect.not.stringMatching(String(two?.['xmin'])) },
    three,
  ]);
  expect(await held()).toMatchObject([{ amount: '1.50' }, { amount: '1.51' }, { amount: '1.50' }]);
});

test('a value that became null is written, and so is one that was null, but no column that is not passed', async () => {
  await put([thing('1'), thing('2', { name: null })]);
  const own = (id: string, name: string | null) => ({ place: 'here', id, name });
  expect(await put([own('1', null), own('2', '')])).toBe(2);
  const body = '{"list": [1, "two"]}';
  expect(await held()).toMatchObject([
    { name: null, amount: '1.50', body },
    { name: '', amount: '1.50', body },
  ]);
});

test('a difference only in silent columns is not written; with another difference it is', async () => {
  const silent: Options = { silent: ['hits', 'seen_at'] };
  await put([thing('1', { hits: 'first' })], silent);
  const before = await versions();
  expect(await put([thing('1', { hits: 'second', seen_at: LATER })], silent)).toBe(0);
  expect(await versions()).toEqual(before);
  expect(await held()).toMatchObject([{ hits: 'first' }]);
  expect(await put([thing('1', { hits: 'third', name: 'other' })], silent)).toBe(1);
  expect(await held()).toMatchObject([{ hits: 'third', name: 'other' }]);
});

test.each<[string, Options, { readonly hits?: string }]>([
  ['every given column is silent', { silent: ['hits'] }, { hits: 'second' }],
  ['every given column is only inserted', { insertOnly: ['hits'] }, { hits: 'second' }],
  ['only the key is given', {}, {}],
])('if %s, existing rows stay as they are', async (_what, options, given) => {
  await put([thing('1', { hits: 'first' })]);
  const row = (id: string) => ({ place: 'here', id, ...given });
  expect(await put([row('1'), row('2')], options)).toBe(1);
  expect(await held()).toMatchObject([{ hits: 'first' }, { hits: given.hits ?? null }]);
});

test('an insertOnly column is never changed after the insert', async () => {
  const options: Options = { insertOnly: ['seen_at'] };
  await put([thing('1')], options);
  expect(await put([thing('1', { seen_at: LATER })], options)).toBe(0);
  expect(await put([thing('1', { seen_at: LATER, name: 'other' })], options)).toBe(1);
  expect(await held()).toMatchObject([{ name: 'other', seen_at: '2026-03-01 00:00:00+00' }]);
});

test('one call takes 10,000 rows, and a second one writes only what differs', async () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => thing(String(index)));
  expect(await put(rows)).toBe(10_000);
  expect(await put(rows)).toBe(0);
  expect(await put(rows.with(5_000, thing('5000', { name: 'other' })))).toBe(1);
  const written = (await versions()).map(({ xmin }) => xmin);
  expect(written).toHaveLength(10_000);
  expect(new Set(written).size).toBe(2);
});

test('a key that occurs twice is refused, and nothing is written', async () => {
  const refused = { cause: { code: '21000' } };
  await expect(put([thing('1'), thing('2'), thing('1')])).rejects.toMatchObject(refused);
  expect(await held()).toEqual([]);
});

test('jsonb keeps every digit of raw numbers, and scalars of every kind', async () => {
  const long = ['12345678901234567890', '0.30000000000000004', '1e200'];
  const bodies = [...long, '"text"', 'false', '[]', '{"a": null}'];
  await put(bodies.map((body, index) => thing(String(index), { body: parseJson(body) })));
  expect((await held()).map(({ body }) => body)).toEqual(bodies.with(2, `1${'0'.repeat(200)}`));
});
