import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { type Database, openDatabase } from '../../../src/warehouse/db/database.ts';
import { PACKAGE_ROOT } from '../../../src/model/program.ts';
import { runMigrations } from '../../../src/warehouse/db/migrations.ts';
import {
  isRepeatable,
  type MigrationFile,
  readMigrationFiles,
} from '../../../src/warehouse/db/migration-files.ts';
import { checkReadiness } from '../../../src/warehouse/db/migrations.ts';
import { blankDatabase, emptyDatabase as copyOfMigrated } from '../../support/database.ts';
import { registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { VERSION } from '../../../src/model/program.ts';
import { FIRST_STATE } from '../../support/first-state.ts';
import { IS_LONG } from '../../support/long.ts';

const FILES = readMigrationFiles();
const EVERYTHING = FILES.map(({ name }) => name);
const MISMATCH = { name: 'DatabaseMismatchError' };

async function openNew(make: typeof blankDatabase): Promise<Database> {
  await using opening = new AsyncDisposableStack();
  const { url } = opening.use(await make());
  const database = opening.use(await openDatabase(url, 2));
  const opened = opening.move();
  return { ...database, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const emptyDatabase = () => openNew(blankDatabase);
/** A copy of one that was migrated, which takes a fraction of the time. */
const migratedDatabase = () => openNew(copyOfMigrated);

const migrate = (database: Database, files: readonly MigrationFile[]) => runMigrations(database, { files });
const rowsOf = async (database: Database, text: string) => (await database.query(text)).rows;
const applied = (database: Database) =>
  rowsOf(database, 'SELECT name, hash, version, applied_at FROM ops.migrations ORDER BY name');
const schemas = (database: Database) =>
  rowsOf(
    database,
    "SELECT nspname AS name FROM pg_namespace WHERE nspname IN ('core', 'ops', 'bi', 'bi_pii')",
  );

/** The files of a later version, some of whose functions and views differ. */
function withEdited(names: readonly string[], edit: (sql: string) => string, files = FILES) {
  return files.map((file) => {
    if (!names.includes(file.name)) return file;
    const sql = edit(file.sql);
    expect(sql).not.toBe(file.sql);
    return { ...file, sql, hash: `hash of ${sql}` };
  });
}

const withMigration = (sql: string): readonly MigrationFile[] => [
  ...FILES.filter(({ name }) => !isRepeatable(name)),
  { name: '9999_next', sql, hash: '9' },
  ...FILES.filter(({ name }) => isRepeatable(name)),
];

/** Analysts build on our views, and no migration may take that from them. */
const ANALYST = 'CREATE VIEW public.mine AS SELECT shop, order_id, order_sum FROM bi.orders';

test('four concurrent migrations of an empty database apply each file once', async () => {
  await using database = await emptyDatabase();
  const results = await Promise.all([1, 2, 3, 4].map(() => runMigrations(database)));
  expect(results.toSorted((one, other) => one.length - other.length)).toEqual([[], [], [], EVERYTHING]);
  const rows = await applied(database);
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(EVERYTHING));
  expect(rows[0]).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), version: VERSION });
});

test('an up-to-date database is left alone, without waiting for a lock', async () => {
  await using database = await migratedDatabase();
  const before = await applied(database);
  const other = await database.connect();
  try {
    await other.query(
      'BEGIN; SELECT pg_advisory_xact_lock(7305114209); LOCK TABLE ops.migrations IN EXCLUSIVE MODE',
    );
    expect(await runMigrations(database)).toEqual([]);
    expect(await checkReadiness(database.db)).toBeUndefined();
  } finally {
    await other.end();
  }
  expect(await applied(database)).toEqual(before);
});

test('an older database gets the migrations that it lacks, and keeps its rows', async () => {
  await using database = await migratedDatabase();
  const shop = { shopKey: 'old', baseUrl: 'https://shop.example', timezone: 'UTC' };
  const shopId = await registerShop(database.db, shop, FIRST_STATE);
  const later = withMigration('ALTER TABLE core.shops ADD COLUMN later text');
  expect(await migrate(database, later)).toEqual(['9999_next']);
  expect(await migrate(database, later)).toEqual([]);
  expect(await registerShop(database.db, shop, FIRST_STATE)).toBe(shopId);
});

test('only a changed view is applied, and what analysts built on it stays', async () => {
  await using database = await migratedDatabase();
  await database.query(ANALYST);
  const later = withEdited(['views/orders'], (sql) =>
    sql.replace('\nFROM core.orders', ',\n  1 AS added\nFROM core.orders'),
  );
  expect(await migrate(database, later)).toEqual(['views/orders']);
  expect(await migrate(database, later)).toEqual([]);
  await database.query('SELECT added FROM bi.orders');
  await database.query('SELECT * FROM public.mine');
});

const EDITS: readonly [string, (sql: string) => string][] = [
  ['removed', (sql) => sql.replace(/^ {2}o\.color,\n/m, '').replace(/^COMMENT .*[.]color .*\n/m, '')],
  ['renamed', (sql) => sql.replace('o.color,', 'o.color AS colour,')],
  ['retyped', (sql) => sql.replace('o.color,', 'o.color::varchar AS color,')],
];

test.each(IS_LONG ? EDITS : EDITS.slice(2))(
  'a view whose column is %s is refused with a way out, and nothing is changed',
  async (_what, edit) => {
    await using database = await migratedDatabase();
    await database.query(ANALYST);
    const before = await applied(database);
    const both = withEdited(['views/orders'], edit, withMigration('CREATE TABLE core.later ()'));
    await expect(migrate(database, both)).rejects.toMatchObject({
      name: 'TerminalError',
      message: expect.stringMatching(
        /^views\/orders could not be applied: .*column.* write a numbered migration/,
      ),
    });
    expect(await applied(database)).toEqual(before);
    expect(await rowsOf(database, "SELECT to_regclass('core.later') AS later")).toEqual([{ later: null }]);
    await database.query('SELECT color FROM bi.orders, public.mine');
  },
);

test('a view that a migration drops is recreated, with those that read it and their grants', async () => {
  await using database = await migratedDatabase();
  const grants = () =>
    rowsOf(
      database,
      `SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'bi'::regnamespace ORDER BY 1`,
    );
  const before = await grants();
  const drop = withMigration('DROP VIEW bi.basket, bi.sync_freshness, bi.completeness');
  const retype = (sql: string) => sql.replace('p.product_oid,', 'p.product_oid::text AS product_oid,');
  expect(await migrate(database, withEdited(['views/basket'], retype, drop))).toEqual([
    '9999_next',
    'views/basket',
    'views/completeness',
    'views/sync_freshness',
  ]);
  expect(await grants()).toEqual(before);
});

test('a view that a version no longer has is dropped for good', async () => {
  await using database = await migratedDatabase();
  const later = withMigration('DROP VIEW bi.basket').filter(({ name }) => name !== 'views/basket');
  expect(await migrate(database, later)).toEqual(['9999_next']);
  expect(await migrate(database, later)).toEqual([]);
  expect(await rowsOf(database, "SELECT FROM ops.migrations WHERE name = 'views/basket'")).toEqual([]);
});

test('views of analysts are never dropped', async () => {
  await using database = await migratedDatabase();
  await database.query('CREATE VIEW public.mine AS SELECT * FROM bi.basket');
  await expect(migrate(database, withMigration('DROP VIEW bi.basket'))).rejects.toThrow(
    /^9999_next could not be applied: cannot drop .* because other objects depend/,
  );
  await database.query('SELECT * FROM public.mine');
});

test('no file drops anything with CASCADE', () => {
  // Rows of lines and history go with their order.
  const cascading = FILES.filter(({ sql }) => /CASCADE/i.test(sql.replaceAll('ON DELETE cascade', '')));
  expect(cascading.map(({ name }) => name)).toEqual([]);
});

test.each(['functions', 'views'])('%s are numbered from 01 on, none twice and none missing', (kind) => {
  const files = readdirSync(join(PACKAGE_ROOT, 'drizzle', kind)).toSorted();
  const numbers = files.map((file) => /^(\d\d)_\w+\.sql$/.exec(file)?.[1]);
  expect(numbers).toEqual(files.map((_file, index) => String(index + 1).padStart(2, '0')));
  // So that a database whose views had other numbers is up to date.
  expect(EVERYTHING.filter((name) => /\/\d/.test(name))).toEqual([]);
});

test('a database without any table lacks everything, and the server has no failed statement to log', async () => {
  await using database = await emptyDatabase();
  const [first] = FILES;
  const sentence = `${first?.name} and ${FILES.length - 1} more are not applied; run order-sync migrate`;
  // In a transaction that a failed statement would have ended.
  await database.db.transaction(async (tx) => {
    expect(await checkReadiness(tx)).toBe(sentence);
    expect((await tx.execute<{ one: number }>(sql`SELECT 1 AS one`)).rows).toEqual([{ one: 1 }]);
  });
});

test('a database that a newer version migrated is refused, and left unchanged', async () => {
  await using database = await migratedDatabase();
  await migrate(database, withMigration('CREATE TABLE core.next ()'));
  await database.query(`UPDATE ops.migrations SET version = '99.0.0' WHERE name = '9999_next'`);
  const before = await applied(database);
  const sentence = `The database is newer than this order-sync ${VERSION}: version 99.0.0 applied 9999_next. Update order-sync`;
  await expect(runMigrations(database)).rejects.toMatchObject({ ...MISMATCH, message: sentence });
  expect(await checkReadiness(database.db)).toBe(sentence);
  expect(await applied(database)).toEqual(before);
});

test('a function whose file changed is applied again, and so are the triggers', async () => {
  await using database = await migratedDatabase();
  const names = ['functions/mark_everything', 'functions/triggers'];
  const later = withEdited(names, (sql) => `${sql}\n-- Once more.`);
  expect(await migrate(database, later)).toEqual(names);
  expect(await migrate(database, later)).toEqual([]);
});

test('a view of an older version is replaced', async () => {
  await using database = await migratedDatabase();
  await database.query(
    `UPDATE ops.migrations SET hash = 'other', version = '0.0.9' WHERE name = 'views/orders'`,
  );
  expect(await checkReadiness(database.db)).toBe('views/orders is not applied; run order-sync migrate');
  expect(await runMigrations(database)).toEqual(['views/orders']);
  const ofThis = expect.objectContaining({ name: 'views/orders', version: VERSION });
  expect(await applied(database), 'or that version would put its own back').toContainEqual(ofThis);
});

test.each([
  ['CREATE SCHEMA core', /already has schemas that this order-sync did not create: core[.]/],
  ['CREATE SCHEMA ops; CREATE TABLE ops.tickets ()', /already has schemas that .* did not create: ops[.]/],
  ['CREATE SCHEMA ops; CREATE TABLE ops.migrations (id int)', /was not made by order-sync/],
  ['CREATE SCHEMA ops; CREATE TABLE ops.migrations (name text, hash text, version text)', /was not made by/],
])('a database of another program is refused before anything is done: %s', async (foreign, reason) => {
  await using database = await emptyDatabase();
  await database.query(foreign);
  const before = await schemas(database);
  const refused = { ...MISMATCH, message: expect.stringMatching(reason) };
  await expect(runMigrations(database)).rejects.toMatchObject(refused);
  expect(await schemas(database)).toEqual(before);
});

test('a migration that fails leaves nothing behind, and the next attempt is not locked out', async () => {
  await using database = await emptyDatabase();
  await expect(migrate(database, withMigration('SELECT 1 / 0'))).rejects.toMatchObject({
    name: 'TerminalError',
    message: expect.stringMatching(/^9999_next could not be applied: .*SQLSTATE 22012/),
  });
  expect(await schemas(database)).toEqual([]);
  expect(await runMigrations(database)).toEqual(EVERYTHING);
});
