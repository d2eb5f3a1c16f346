/** The commands of docs/deployment.md that bring `bi` into a database with data of its own. */
import { readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { runMigrations } from '../../src/warehouse/db/migrations.ts';
import { inDatabase, withClient } from '../support/database-clients.ts';
import { freshDatabase } from '../support/database.ts';
import { createLogin } from '../support/login.ts';
import { provided } from '../support/provided.ts';
import { sqlOf } from './answers.ts';
import { inRepository } from './markdown.ts';

test('a database with schemas of others keeps them, and reads bi and nothing else as the documents say', async () => {
  await using ours = await freshDatabase();
  await using login = await createLogin(ours.url, 'bi_reader');
  const { serverUrl, prefix } = provided('testDatabases');
  const theirs = `${prefix}_theirs`;
  await withClient(serverUrl, (client) => client.query(`CREATE DATABASE ${theirs}`));
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    await withClient(serverUrl, (client) => client.query(`DROP DATABASE ${theirs} WITH (FORCE)`));
  });
  const url = inDatabase(serverUrl, theirs);
  await withClient(url, async (client) => {
    await client.query('CREATE SCHEMA raw; CREATE TABLE raw.orders AS SELECT 7 AS seven');
    await expect(migrate(url)).rejects.toThrow(/did not create: raw\. Give order-sync a database of its own/);
    const document = await readFile(inRepository('docs/deployment.md'), 'utf8');
    const script = sqlOf(document).find((sql) => sql.includes('postgres_fdw')) ?? '';
    const { hostname, password, pathname, port } = new URL(login.url);
    const given = script
      .replace("'localhost'", `'${hostname}'`)
      .replace("'5432'", `'${port}'`)
      .replace("dbname 'order_sync'", `dbname '${pathname.slice(1)}'`)
      .replace("'bi', password 'its password'", `'${login.name}', password '${password}'`);
    await client.query(given);
    const read = async (table: string) =>
      (await client.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${table}`)).rows[0]?.rows;
    const [held] = await withClient(ours.url, async (own) => {
      const { rows } = await own.query<{ rows: number }>('SELECT count(*)::int AS rows FROM bi.orders');
      return rows;
    });
    expect(held?.rows).toBeGreaterThan(0);
    expect(await read('shop_bi.orders')).toBe(held?.rows);
    expect(await read('shop_bi.daily_sales')).toBeGreaterThan(0);
    expect(await read('raw.orders')).toBe(1);
    await client.query(`CREATE FOREIGN TABLE shop_bi.persons (buyer_name text) SERVER order_sync
      OPTIONS (schema_name 'core', table_name 'order_persons')`);
    await expect(read('shop_bi.persons')).rejects.toThrow('permission denied for schema core');
  });
});

async function migrate(url: string): Promise<void> {
  await using database = await openDatabase(url, 1);
  await runMigrations(database);
}
