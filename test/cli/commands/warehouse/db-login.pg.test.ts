/** Logins for BI tools, made by whoever a server lets make them. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { withClient } from '../../../support/database-clients.ts';
import { freshDatabase, type TestDatabase } from '../../../support/database.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { openFolder } from '../../../support/scratch-folder.ts';

let fresh: TestDatabase;
/** They belong to the whole server. */
const made: string[] = [];
const newName = (purpose: string) => {
  const name = `test_${purpose}_${randomBytes(4).toString('hex')}`;
  made.push(name);
  return name;
};
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(async () => {
  // Owners first: what they granted goes with them.
  await asAdmin(...made.map((name) => `DROP OWNED BY ${name} CASCADE`), `DROP ROLE ${made.join(', ')}`);
  await fresh[Symbol.asyncDispose]();
});

const asAdmin = (...statements: readonly string[]) =>
  withClient(fresh.url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
const login = (url: string, ...args: readonly string[]) =>
  runInProcess(['db', 'login', ...args], { DATABASE_URL: url });
const asUser = (user: string, password: string) =>
  Object.assign(new URL(fresh.url), { username: user, password }).href;

/** What a login may read and do. */
async function rightsOf(url: string) {
  return await withClient(url, async (client) => {
    const may = (text: string) =>
      client.query(text).then(
        () => true,
        () => false,
      );
    const { rows } = await client.query('SHOW statement_timeout');
    return {
      reads: await may('SELECT count(*) FROM bi.orders'),
      readsPersons: await may('SELECT count(*) FROM bi_pii.users'),
      readsTables: await may('SELECT count(*) FROM core.orders'),
      writes: await may('BEGIN READ WRITE; DELETE FROM core.orders; ROLLBACK'),
      ...rows[0],
    };
  });
}
const READER = { reads: true, readsPersons: false, readsTables: false, writes: false };

test('db login creates a login, shows its new password once, and keeps the password when run again', async () => {
  const name = newName('bi');
  const first = await login(fresh.url, name);
  expect(first, first.stderr).toMatchObject({ code: 0 });
  const password = /^ {2}password {2}(\S+)$/m.exec(first.stdout)?.[1] ?? '';
  expect(password.length).toBeGreaterThan(20);
  const { host, pathname } = new URL(fresh.url);
  expect(first.stdout).toContain(`psql 'postgres://${name}@${host}${pathname}`);
  expect(await rightsOf(asUser(name, password))).toEqual({ ...READER, statement_timeout: '1min' });
  await asAdmin(`ALTER ROLE ${name} SET statement_timeout = '5min'`);
  const again = await login(fresh.url, name, '--pii');
  expect(again.stdout).toMatch(/password +unchanged/i);
  expect(again.stdout).not.toContain(password);
  expect(await rightsOf(asUser(name, password))).toEqual({
    ...READER,
    readsPersons: true,
    statement_timeout: '5min',
  });
});

test('a password from a file is not printed, and replaces the one before', async () => {
  await using folder = await openFolder('login');
  const file = join(folder.path, 'password');
  const name = newName('file');
  for (const password of ['first-secret', "it's another"]) {
    await writeFile(file, `${password}\n`);
    const outcome = await login(fresh.url, name, '--password-file', file, '--timezone', 'Asia/Tokyo');
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    expect(outcome.stdout).not.toContain(password);
    await withClient(asUser(name, password), async (client) => {
      expect((await client.query('SHOW timezone')).rows).toEqual([{ TimeZone: 'Asia/Tokyo' }]);
    });
  }
  await writeFile(file, '\n');
  expect(await login(fresh.url, name, '--password-file', file)).toMatchObject({ code: 2 });
});

test('an owner who may not create or grant roles gets the statements for an administrator', async () => {
  const [owner, name] = [newName('owner'), newName('reader')];
  await asAdmin(
    `CREATE ROLE ${owner} LOGIN PASSWORD 'of-tests'`,
    `GRANT USAGE ON SCHEMA core, ops TO ${owner}`,
  );
  await asAdmin(`GRANT SELECT ON ALL TABLES IN SCHEMA ops, core TO ${owner}`);
  const url = asUser(owner, 'of-tests');
  const first = await login(url, name);
  expect(first).toMatchObject({ code: 1, stdout: '' });
  const statements = /run in its database: (.*) Then run this again/.exec(first.stderr)?.[1] ?? '';
  expect(statements).toContain(`ALTER ROLE "${name}" PASSWORD '…'; `);
  expect(statements).toContain(`GRANT bi_reader TO "${name}";`);
  await asAdmin(statements.replace('…', 'of-tests'));
  expect(await login(url, name)).toMatchObject({ code: 0 });
  expect(await rightsOf(asUser(name, 'of-tests'))).toEqual({ ...READER, statement_timeout: '1min' });
});

test('a role that may do more than read is refused', async () => {
  const worker = newName('worker');
  await asAdmin(`CREATE ROLE ${worker} LOGIN IN ROLE order_sync_worker`);
  for (const name of [new URL(fresh.url).username, 'bi_reader', worker]) {
    expect(await login(fresh.url, name)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/not a read-only login/),
    });
  }
});
