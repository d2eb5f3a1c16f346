/** Servers whose administrator is somebody else: the login owns the database, and may create roles or not. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startEmbedded } from '../../support/embedded-server.ts';
import { inDatabase, withClient } from '../../support/database-clients.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { openFolder } from '../../support/scratch-folder.ts';

/** Roles belong to the whole server, so no other test may have made ours. */
let server: Awaited<ReturnType<typeof startEmbedded>>;
beforeAll(async () => {
  server = await startEmbedded({ fsync: 'off', max_connections: '50' });
});
afterAll(() => server[Symbol.asyncDispose]());

const asAdmin = (text: string) => withClient(server.url, (client) => client.query(text));
const inOwn = (url: string, text: string) => withClient(url, (client) => client.query(text));

type Managed = AsyncDisposable & {
  readonly name: string;
  readonly url: string;
  /** Of the same database. */
  readonly adminUrl: string;
};

/** A new database, and a login that owns it. Disposing drops them, and our roles. */
async function openManaged(name: string, rights: 'CREATEROLE' | 'NOCREATEROLE'): Promise<Managed> {
  await asAdmin(`CREATE ROLE "${name}" LOGIN ${rights} PASSWORD 'managed'`);
  await asAdmin(`CREATE DATABASE ${name.toLowerCase()} OWNER "${name}"`);
  const adminUrl = inDatabase(server.url, name.toLowerCase());
  const url = Object.assign(new URL(adminUrl), { username: name, password: 'managed' }).href;
  return {
    name,
    url,
    adminUrl,
    async [Symbol.asyncDispose]() {
      await asAdmin(`DROP DATABASE ${name.toLowerCase()} WITH (FORCE)`);
      await asAdmin('DROP ROLE IF EXISTS bi_reader, bi_pii_reader, order_sync_worker');
      await asAdmin(`DROP ROLE "${name}"`);
    },
  };
}

const run = ({ url }: Managed, ...args: readonly string[]) => runInProcess(args, { DATABASE_URL: url });
const migrate = (managed: Managed) => run(managed, 'migrate');

/** What every analyst's query and export says, if it fails. */
async function read(managed: Managed): Promise<readonly string[]> {
  await using folder = await openFolder('managed');
  const said: string[] = [];
  for (const args of [
    ['sql', 'SELECT count(*) FROM orders'],
    ['sql', '--pii', 'SELECT count(*) FROM order_contacts JOIN bi.orders USING (shop_id, order_id)'],
    ['export', '--to', folder.path],
  ]) {
    const { code, stderr } = await run(managed, ...args);
    if (code !== 0) said.push(stderr.split('\n').slice(0, -1).at(-1) ?? '');
  }
  return said;
}

const UP_TO_DATE = { code: 0, stdout: 'The database is up to date.\n', stderr: '' };

/** The lines that an administrator is to run. */
const toRun = (stderr: string) => stderr.split('\n').flatMap((line) => /^ {2}(.*)$/.exec(line)?.[1] ?? []);

test('a user who may create roles can query and export at once', async () => {
  await using managed = await openManaged('Creator', 'CREATEROLE');
  expect(await migrate(managed)).toMatchObject({ code: 0, stderr: '' });
  expect(await read(managed)).toEqual([]);
  expect(await migrate(managed)).toEqual(UP_TO_DATE);
});

test('after an administrator ran what migrate prints, everything works', async () => {
  await using managed = await openManaged('tenant', 'NOCREATEROLE');
  const first = await migrate(managed);
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(
    /As an administrator, run in its database:\n(.*\n)+Then run `order-sync migrate` again/,
  );
  const statements = toRun(first.stderr);
  expect(statements).toContain('CREATE ROLE bi_reader NOLOGIN;');
  expect(await read(managed)).toEqual([
    expect.stringMatching(
      /^Role "bi_reader" does not exist; as the owner of the tables run order-sync migrate, /,
    ),
    expect.stringContaining('"bi_pii_reader" does not exist'),
    expect.stringContaining('"bi_reader" does not exist'),
  ]);
  // The same as long as nobody did it.
  expect(toRun((await migrate(managed)).stderr)).toEqual(statements);

  await inOwn(managed.adminUrl, statements.join('\n'));
  expect((await read(managed))[0]).toContain('ermission denied for schema bi');
  expect(await migrate(managed)).toEqual(UP_TO_DATE);
  expect(await read(managed)).toEqual([]);
  expect(await migrate(managed)).toEqual(UP_TO_DATE);
});

test('existing roles that are not granted are reported', async () => {
  await asAdmin('CREATE ROLE bi_reader; CREATE ROLE bi_pii_reader; CREATE ROLE order_sync_worker');
  await using managed = await openManaged('tenant', 'NOCREATEROLE');
  const { stderr } = await migrate(managed);
  const setting = (role: string) => `GRANT ${role} TO tenant WITH INHERIT FALSE, SET TRUE;`;
  expect(toRun(stderr)).toEqual([
    setting('bi_pii_reader'),
    'GRANT bi_reader TO bi_pii_reader;',
    setting('bi_reader'),
  ]);
  expect((await read(managed))[0]).toMatch(
    /^Permission denied to set role "bi_reader"; as the owner of the tables run order-sync migrate, .*: GRANT bi_reader TO "tenant"[.]$/,
  );
  await asAdmin(toRun(stderr).join('\n'));
  expect(await read(managed)).toEqual([]);
});

test('dropped, revoked and missing roles, grants and views are restored', async () => {
  await using managed = await openManaged('creator', 'CREATEROLE');
  await migrate(managed);
  const grants = async () => {
    const { rows } = await inOwn(
      managed.url,
      `SELECT c.oid::regclass::text AS relation, a.grantee::regrole::text AS role, a.privilege_type AS may
       FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
       WHERE c.relnamespace::regnamespace::text IN ('bi', 'bi_pii', 'core', 'raw', 'ops') ORDER BY 1, 2, 3`,
    );
    return rows;
  };
  const before = await grants();
  expect(before.length).toBeGreaterThan(200);

  await inOwn(managed.url, 'DROP VIEW bi.orders CASCADE');
  expect((await run(managed, 'sql', 'SELECT * FROM orders')).stderr).toContain(
    'The query failed: relation "orders" does not exist',
  );
  expect((await migrate(managed)).stdout).toMatch(/^Applied \d+ views[.]\n$/);
  expect(await grants()).toEqual(before);

  await inOwn(
    managed.url,
    'REVOKE SELECT ON bi.orders, bi.shops FROM bi_reader; REVOKE INSERT ON ops.days FROM order_sync_worker',
  );
  expect(await read(managed)).toEqual([
    'The query failed: permission denied for view orders',
    'The query failed: permission denied for view orders',
    expect.stringContaining('permission denied for view'),
  ]);
  expect(await migrate(managed)).toEqual(UP_TO_DATE);
  expect(await grants()).toEqual(before);

  // As a dump that was restored on a new server.
  await inOwn(managed.adminUrl, 'DROP OWNED BY bi_reader, bi_pii_reader, order_sync_worker');
  await asAdmin('DROP ROLE bi_reader, bi_pii_reader, order_sync_worker');
  expect(await migrate(managed)).toEqual(UP_TO_DATE);
  expect(await grants()).toEqual(before);
  expect(await read(managed)).toEqual([]);
});

test('a replacement of a view that somebody else owns is granted by its owner', async () => {
  await using managed = await openManaged('creator', 'CREATEROLE');
  await migrate(managed);
  await inOwn(
    managed.adminUrl,
    `ALTER VIEW bi.basket OWNER TO CURRENT_USER; REVOKE ALL ON bi.basket FROM bi_reader; CREATE VIEW bi.mine AS SELECT 1 AS one`,
  );
  const { code, stdout, stderr } = await migrate(managed);
  expect({ code, stdout, toRun: toRun(stderr) }).toEqual({
    code: 0,
    stdout: UP_TO_DATE.stdout,
    toRun: ['GRANT SELECT ON bi.basket TO bi_reader;'],
  });
});
