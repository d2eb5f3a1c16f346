import { expect, test } from 'vitest';

import { firstRow } from './database-processes.ts';
import { freshDatabase } from './database.ts';

const TABLES = `SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'core'`;

test('fresh databases have the tables of the migrations and share no rows', async () => {
  await using one = await freshDatabase();
  await using other = await freshDatabase();
  expect(await firstRow(one.url, TABLES)).not.toEqual({ n: 0 });
  await firstRow(
    one.url,
    `INSERT INTO core.shops (shop_key, base_url, timezone) VALUES ('a', 'http://shop.test', 'UTC')`,
  );
  expect(await firstRow(one.url, 'SELECT count(*)::int AS n FROM tested.shops')).toEqual({ n: 1 });
  expect(await firstRow(other.url, 'SELECT count(*)::int AS n FROM tested.shops')).toEqual({ n: 0 });
});

test('many are made at once, and each is gone after its test', async () => {
  const databases = await Promise.all(Array.from({ length: 6 }, () => freshDatabase()));
  expect(new Set(databases.map(({ url }) => url)).size).toBe(6);
  for (const database of databases) {
    await database[Symbol.asyncDispose]();
    await expect(firstRow(database.url, 'SELECT 1')).rejects.toThrow('does not exist');
  }
});
