import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/model/errors.ts';
import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { freePort } from '../../support/listen.ts';
import { startBouncer } from '../../support/pgbouncer.ts';
import { startTlsServer } from '../../support/tls-server.ts';
import { fileWarehouse } from '../test-warehouse.ts';
import { patienceMs } from '../../support/patience.ts';

const warehouse = fileWarehouse();

const changed = (change: (url: URL) => void) => {
  const url = new URL(warehouse.url);
  change(url);
  return url.href;
};

async function failureOf(url: string): Promise<Error> {
  try {
    await using database = await openDatabase(url);
    void database;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it was opened');
}

test('a missing database differs from a rejected user, and no part of the URL is shown', async () => {
  const absent = await failureOf(changed((url) => (url.pathname = '/no_such_database')));
  expect(absent).toBeInstanceOf(TerminalError);
  expect(absent.message).toMatch(/rejected the user, password or database.* \(3D000\)/);
  const refused = await failureOf(
    changed((url) => Object.assign(url, { username: 'nobody', password: 'hunter2' })),
  );
  expect(refused.message).toContain('rejected the user');
  expect(`${absent.message}${refused.message}`).not.toMatch(/no_such_database|nobody|hunter2/);
});

test('a port where nothing is listening is reported', async () => {
  const failure = await failureOf(`postgres://me:pw@127.0.0.1:${await freePort()}/orders`);
  expect(failure).toBeInstanceOf(TerminalError);
  expect(failure.message).toContain('nothing is listening there');
});

test('a connection closed by the server is replaced at the next query, and does not end the program', async () => {
  await using database = await openDatabase(warehouse.url, 1);
  const { rows } = await database.db.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
  await warehouse.rows(sql`SELECT pg_terminate_backend(${rows[0]?.pid}::int, 60000)`);
  const ask = async () => (await database.db.execute(sql`SELECT 1 AS one`)).rows;
  await expect.poll(ask, { timeout: patienceMs() }).toEqual([{ one: 1 }]);
});

test('errors of a pooler are explained', async (context) => {
  await using bouncer = await startBouncer(context, warehouse.url);
  const through = (change: (url: URL) => void) => {
    const url = new URL(bouncer.url);
    change(url);
    return failureOf(url.href);
  };
  const parameter = await through((url) => url.searchParams.set('options', '-c work_mem=1MB'));
  const absent = await through((url) => (url.pathname = '/no_such_database'));
  const refused = await through((url) => (url.password = 'hunter2'));
  await using headless = await startBouncer(context, warehouse.url, await freePort());
  for (const { message } of [parameter, absent, refused, await failureOf(headless.url)]) {
    expect(message).toMatch(
      /^The database of DATABASE_URL: it(, or a pooler in front of it,)? re(fused|jected) /,
    );
  }
});

test('a certificate that is untrusted, or for another host, is reported', async ({ skip }) => {
  await using server = await startTlsServer(skip);
  const url = (query: string) => `postgres://me:pw@127.0.0.1:${server.port}/orders?${query}`;
  expect((await failureOf(url('sslmode=verify-full'))).message).toContain('sslrootcert');
  const trusted = `sslmode=verify-full&sslrootcert=${encodeURIComponent(server.certificate)}`;
  expect((await failureOf(url(trusted))).message).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('a missing password is reported', async () => {
  expect((await failureOf(changed((url) => (url.password = '')))).message).toMatch(
    /SASL: .*password must be a string.*DATABASE_URL/,
  );
});
