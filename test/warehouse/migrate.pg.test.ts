import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sql } from 'drizzle-orm';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { expect, inject, test } from 'vitest';

import { type Database, openDatabase } from '../../src/warehouse/database.ts';
import { runMigrations } from '../../src/warehouse/migrate.ts';
import { recreateDatabase } from '../../src/warehouse/recreate-database.ts';
import { registerShop } from '../../src/warehouse/shops.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'drizzle');

type Journal = { readonly entries: readonly unknown[] };
const journal: Journal = JSON.parse(readFileSync(join(FOLDER, 'meta', '_journal.json'), 'utf8'));
const ALL = journal.entries.length;

/** The URL of a database without any table. */
async function emptyDatabase(): Promise<string> {
  const { serverUrl, prefix } = inject('testDatabases');
  return recreateDatabase(serverUrl, `${prefix}_empty_${randomBytes(6).toString('hex')}`);
}

const applied = async ({ db }: Database) =>
  (
    await db.execute(
      sql`SELECT count(*)::int AS n, count(DISTINCT hash)::int AS kinds FROM drizzle.__drizzle_migrations`,
    )
  ).rows;

test('four that migrate an empty database at once apply each migration once', async () => {
  const url = await emptyDatabase();
  await using opened = new AsyncDisposableStack();
  const programs: Database[] = [];
  for (let program = 0; program < 4; program += 1) programs.push(opened.use(await openDatabase(url)));
  const counts = await Promise.all(programs.map((database) => runMigrations(database)));
  expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 0, ALL]);
  await using database = await openDatabase(url);
  expect(await applied(database)).toEqual([{ n: ALL, kinds: ALL }]);
  expect(await runMigrations(database)).toBe(0);
});

test('an older database gets the migrations that it lacks, and keeps its rows', async () => {
  expect(ALL).toBeGreaterThan(1);
  await using database = await openDatabase(await emptyDatabase());
  const older = mkdtempSync(join(tmpdir(), 'order-sync-older-'));
  try {
    cpSync(FOLDER, older, { recursive: true });
    const first = { ...journal, entries: journal.entries.slice(0, 1) };
    writeFileSync(join(older, 'meta', '_journal.json'), JSON.stringify(first));
    await migrate(database.db, { migrationsFolder: older });
  } finally {
    rmSync(older, { recursive: true, force: true });
  }
  const shop = { shopKey: 'old', baseUrl: 'https://shop.example', timezone: 'UTC' };
  const shopId = await registerShop(database.db, shop);
  expect(await runMigrations(database)).toBe(ALL - 1);
  expect(await applied(database)).toEqual([{ n: ALL, kinds: ALL }]);
  expect(await registerShop(database.db, shop)).toBe(shopId);
});

test('a migration that fails leaves nothing behind, and the next attempt is not locked out', async () => {
  await using database = await openDatabase(await emptyDatabase());
  await database.db.execute(sql`CREATE SCHEMA raw`);
  await expect(runMigrations(database)).rejects.toMatchObject({ cause: { code: '42P06' } });
  const left = await database.db.execute(
    sql`SELECT 1 FROM pg_namespace WHERE nspname IN ('core', 'ops', 'bi')`,
  );
  expect(left.rows).toEqual([]);
  await database.db.execute(sql`DROP SCHEMA raw`);
  expect(await runMigrations(database)).toBe(ALL);
});
