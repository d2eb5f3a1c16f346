import { randomBytes } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { runCommand, startCommand } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';
import { until } from '../support/until.ts';

const PERSONAL = 'anna@mail.example';

let warehouse: TestWarehouse;
let env: { readonly DATABASE_URL: string };

beforeAll(async () => {
  warehouse = await openTestWarehouse();
  env = { DATABASE_URL: warehouse.url };
  await loadShop(warehouse.db, 'north', [order({ cents: 1_050, day: '2026-03-01' }), order({ cents: null })]);
  await warehouse.database.query(
    `INSERT INTO core.order_persons (shop_id, order_id, buyer_email) SELECT shop_id, order_id, $1 FROM tested.orders`,
    [PERSONAL],
  );
});
afterAll(() => warehouse[Symbol.asyncDispose]());

const sql = (query: string, ...options: readonly string[]) => runInProcess(['sql', query, ...options], env);

test('a query on the command line prints a table, with the views of bi at hand by their names', async () => {
  const query = `SELECT order_sum, paid_amount, currency, is_sale FROM orders WHERE shop = 'north' ORDER BY order_sum`;
  expect(await runCommand(['sql', query], env)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: [
      'order_sum  paid_amount  currency  is_sale',
      '─────────  ───────────  ────────  ───────',
      '    10.50         0.00  EUR       true',
      '     NULL         0.00  EUR       true',
      '(2 rows)',
      '',
    ].join('\n'),
  });
});

test('a file and standard input serve too, and only one of them counts', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-sql-'));
  const file = join(folder.path, 'query.sql');
  await writeFile(file, `-- sales\nSELECT count(*) AS orders\nFROM bi.orders WHERE shop = 'north';\n`);
  const wanted = { code: 0, stdout: 'orders\n2\n' };
  expect(await runInProcess(['sql', '--file', file, '--format', 'csv'], env)).toMatchObject(wanted);
  const piped = startCommand(
    ['sql', '--format', 'csv'],
    env,
    undefined,
    `SELECT count(*) AS orders FROM orders WHERE shop = 'north'`,
  );
  expect(await piped.outcome).toMatchObject(wanted);
  const usage = [
    ['sql', 'SELECT 1', '--file', file],
    ['sql'],
    ['sql', ' '],
    ['sql', ' ; -- nothing'],
    ['sql', '/* nothing */'],
    ['sql', '--file', join(folder.path, 'absent.sql')],
    ['sql', 'SELECT 1', '--format', 'xml'],
    ['sql', 'SELECT 1', '--timeout', 'soon'],
    // To PostgreSQL, no time at all means no end.
    ['sql', 'SELECT 1', '--timeout', '0s'],
    ['sql', 'SELECT 1', '--timezone', 'Europe/Atlantis'],
    ['sql', 'SELECT 1', '--views'],
    ['sql', '--views', '--file', file],
  ];
  for (const args of usage) expect(await runInProcess(args, env), args.join(' ')).toMatchObject({ code: 2 });
});

const AWKWARD = `SELECT 12345678901234567890.10::numeric AS n, 9007199254740993 AS big, NULL AS nothing, '' AS empty,
  'a "b", c' AS quoted, DATE '2026-03-01' AS day, TIMESTAMPTZ '2026-03-01 12:00Z' AS at, true AS n, ARRAY[1, 2] AS list`;

test('CSV keeps all digits, and tells NULL from an empty text', async () => {
  expect(await sql(AWKWARD, '--format', 'csv')).toMatchObject({
    code: 0,
    stdout:
      'n,big,nothing,empty,quoted,day,at,n,list\n' +
      '12345678901234567890.10,9007199254740993,,"","a ""b"", c",2026-03-01,2026-03-01 13:00:00+01,true,"{1,2}"\n',
  });
});

test('JSON keeps all digits, and names columns apart', async () => {
  const { stdout, code } = await sql(AWKWARD, '--json');
  expect(code).toBe(0);
  expect(stdout).toContain('"n":12345678901234567890.10,"big":9007199254740993');
  expect(JSON.parse(stdout)).toMatchObject([
    { nothing: null, empty: '', at: '2026-03-01T13:00:00+01:00', day: '2026-03-01', n_2: true, list: [1, 2] },
  ]);
  expect(await sql('SELECT WHERE false', '--json')).toMatchObject({ code: 1 });
  expect(await sql('SELECT 1 WHERE false', '--json')).toMatchObject({ code: 0, stdout: '[]\n' });
});

test('times are in the zone of the shops where they share one, or in the zone that is asked for', async () => {
  const query = "SELECT TIMESTAMPTZ '2026-07-01 12:00Z' AS at";
  const csv = async (...options: readonly string[]) =>
    (await sql(query, '--format', 'csv', ...options)).stdout;
  expect(await csv()).toBe('at\n2026-07-01 14:00:00+02\n');
  expect(await csv('--timezone', 'Asia/Tokyo')).toBe('at\n2026-07-01 21:00:00+09\n');
  await using several = await openTestWarehouse();
  for (const zone of ['Europe/Berlin', 'Asia/Tokyo']) await loadShop(several.db, zone, [], zone);
  const other = { DATABASE_URL: several.url };
  const { stdout } = await runInProcess(['sql', query, '--format', 'csv'], other);
  expect(stdout).toBe('at\n2026-07-01 12:00:00+00\n');
});

test('a large result streams: all rows as CSV, the first thousand as a table', async () => {
  const query = 'SELECT n, repeat($$x$$, 100) AS text FROM generate_series(1, 2500) AS n';
  const csv = await sql(query, '--format', 'csv');
  expect(csv.stdout.trimEnd().split('\n')).toHaveLength(2501);
  expect(csv.stdout).toMatch(/\n2500,x+\n$/);
  const json = await sql(query, '--format', 'json');
  expect(JSON.parse(json.stdout)).toHaveLength(2500);
  const table = await sql(query);
  expect(table.stdout.trimEnd().split('\n')).toHaveLength(1002);
  expect(table.stderr).toMatch(/first 1000 rows; --format csv/);
});

describe('errors say where and what next:', () => {
  const cases: readonly (readonly [query: string, says: RegExp])[] = [
    ['SELECT 1\n  FRM orders', /syntax error.*\nLINE 2: {3}FRM orders\n {14}\^/],
    ['SELECT ordr_sum FROM orders', /LINE 1: SELECT ordr_sum FROM orders\n {15}\^\nHint: .*order_sum/],
    ["SELECT 'ж', ordr_sum FROM orders", /\n {20}\^\n/],
    ['SELECT * FROM order', /syntax error.*\n.*\n.*\nHint: Did you mean bi[.]orders[?]/],
    ['SELECT * FROM ordrs', /"ordrs" does not exist\nLINE 1.*\n.*\nHint: Did you mean bi[.]orders[?]/],
    ['SELECT * FROM invoices', /Hint: order-sync sql --views lists/],
    ['SELECT 1 / 0', /division by zero/],
    ['SELECT * FROM core.orders', /permission denied.*\nLINE 1.*\n.*\nHint: .*bi_reader/],
    ['SELECT * FROM bi_pii.order_contacts', /permission denied.*\nLINE 1.*\n.*\nHint: .*--pii/],
    ['SELECT pg_sleep(9)::text', /timeout\nHint: It took longer than 1s/],
    ["SET timezone = 'UTC'", /returns no rows; only queries/],
    ['SELECT 1; SELECT 2', /^The query failed: these are 2 statements; run one at a time[.]\n$/],
  ];
  test.each(cases)('%s', async (query, says) => {
    const { code, stdout, stderr } = await sql(query, '--timeout', '1s');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(says);
  });
});

test('whatever would write is told that nothing is written', async () => {
  const writes = [
    'DELETE FROM orders',
    'INSERT INTO orders VALUES (1)',
    'UPDATE orders SET order_sum = 1',
    'MERGE INTO orders o USING orders p ON o.order_id = p.order_id WHEN MATCHED THEN DELETE',
    'COPY orders TO STDOUT',
    'DO $$ BEGIN END $$',
    'DELETE FROM tested.orders; SELECT 1',
    '-- clean up\nTRUNCATE core.orders',
    'WITH gone AS (DELETE FROM orders RETURNING 1) SELECT count(*) FROM gone',
    'EXPLAIN DELETE FROM orders',
    'SELECT 1 AS a INTO mine',
    'SELECT * FROM orders FOR UPDATE',
  ];
  for (const write of writes) {
    const stderr =
      'The query was refused: order-sync sql only reads, with SELECT, VALUES, TABLE, SHOW or EXPLAIN, and changes nothing.\n';
    expect({ write, ...(await sql(write)) }).toEqual({ write, code: 1, stdout: '', stderr });
  }
  const { stderr } = await sql("SELECT lo_from_bytea(0, 'x')");
  expect(stderr).toContain('Hint: order-sync sql only reads');
});

test('all that reads can be asked', async () => {
  for (const query of [
    'EXPLAIN SELECT 1',
    'SHOW timezone',
    'TABLE user_groups',
    'VALUES (1)',
    '(SELECT 1)',
    '-- a\nSELECT 1',
  ]) {
    expect({ query, ...(await sql(query)) }).toMatchObject({ query, code: 0 });
  }
});

test('a query without quotes, or in another encoding, is refused', async () => {
  const unquoted = await runInProcess(['sql', 'SELECT', '1'], env);
  expect(unquoted).toMatchObject({ code: 2, stderr: expect.stringContaining('Put the query in quotes') });
  expect((await runInProcess(['sql', '-- a comment'], env)).stderr).toContain('The query is empty');
  expect((await runInProcess(['sql', '--unknown'], env)).stderr).toContain('unknown option');
  await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-sql-'));
  const file = join(folder.path, 'query.sql');
  const inCyrillic = Buffer.from("SELECT '\xcf\xf0\xe8' AS a", 'latin1');
  for (const bytes of [
    inCyrillic,
    Buffer.from('\uFEFFSELECT 1', 'utf16le'),
    Buffer.from('SELECT 1', 'utf16le'),
  ]) {
    await writeFile(file, bytes);
    const refused = {
      code: 2,
      stdout: '',
      stderr: `--file ${file} is not UTF-8; save the query in this encoding.\n`,
    };
    expect(await runInProcess(['sql', '--file', file], env)).toEqual(refused);
  }
  const piped = await startCommand(['sql'], env, undefined, inCyrillic).outcome;
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('Standard input is not UTF-8') });
  await writeFile(file, "\uFEFFSELECT 'При' AS a");
  expect((await runInProcess(['sql', '--file', file, '--format', 'csv'], env)).stdout).toBe('a\nПри\n');
});

test('averages end where their digits do, in a table alone', async () => {
  const query = 'SELECT avg(n) AS mean, 2.50::numeric(6, 4) AS exact FROM generate_series(389, 391) AS n';
  expect((await sql(query)).stdout).toContain('\n390.00  2.5000\n');
  expect((await sql(query, '--format', 'csv')).stdout).toBe('mean,exact\n390.0000000000000000,2.5000\n');
  expect((await sql(query, '--json')).stdout).toContain('"mean":390.0000000000000000');
});

test('names and contacts need a word of their own', async () => {
  const query = `SELECT buyer_email FROM order_contacts WHERE shop = 'north' LIMIT 1`;
  expect(await sql(query)).toMatchObject({ code: 1 });
  expect((await sql(query, '--pii', '--format', 'csv')).stdout).toBe(`buyer_email\n${PERSONAL}\n`);
});

/** What would run `step` in the same statement after the role was reset, if it could be. */
const resetBy = (step: string) =>
  `SELECT set_config('${step}', false) IS NULL, query_to_xml('SELECT buyer_email FROM core.order_persons', true, false, '')`;

test('a query cannot leave the role, nor write', async () => {
  // A role that was merely set can be left.
  const unguarded = await withClient(warehouse.url, async (client) => {
    await client.query('SET ROLE bi_reader');
    return await client.query(resetBy("role', 'none"));
  });
  expect(JSON.stringify(unguarded.rows)).toContain(PERSONAL);

  const owner = (await warehouse.database.query('SELECT current_user AS name')).rows[0].name;
  const attacks = [
    'RESET ROLE; SELECT buyer_email FROM core.order_persons',
    'COMMIT; SELECT buyer_email FROM core.order_persons',
    'RESET ROLE',
    'SET ROLE NONE',
    'COMMIT',
    `SET SESSION AUTHORIZATION ${owner}`,
    resetBy("role', 'none"),
    resetBy(`role', '${owner}`),
    resetBy(`session_authorization', '${owner}`),
    resetBy("transaction_read_only', 'off"),
    "SELECT query_to_xml('RESET ROLE', true, false, ''), buyer_email FROM core.order_persons",
    'SELECT $x$a$x$; $$ END; SELECT buyer_email FROM core.order_persons',
    "SELECT ') AS t(a text); RESET ROLE; --', (SELECT buyer_email FROM core.order_persons LIMIT 1)",
    'SELECT * FROM pg_temp.order_sync_read($$SELECT buyer_email FROM core.order_persons LIMIT 1$$, $$SELECT$$) AS t(e text)',
    'DELETE FROM tested.order_persons RETURNING buyer_email',
    'WITH gone AS (DELETE FROM tested.orders RETURNING 1) SELECT count(*) FROM gone',
    'CREATE TEMP TABLE mine AS SELECT 1 AS one',
    'COPY core.order_persons TO STDOUT',
    "SELECT lo_from_bytea(0, 'x')::text",
    "SELECT pg_read_file('/etc/passwd')",
  ];
  for (const attack of attacks) {
    const { code, stdout, stderr } = await sql(attack, '--format', 'csv');
    expect({ attack, code, leaks: (stdout + stderr).includes(PERSONAL) }).toEqual({
      attack,
      code: 1,
      leaks: false,
    });
  }
  const left = await withClient(warehouse.url, (client) =>
    client.query('SELECT count(*)::int AS n FROM tested.orders'),
  );
  expect(left.rows).toEqual([{ n: 2 }]);
});

test('a login that may not act as the reader is told what to ask for', async () => {
  const role = `order_sync_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(warehouse.url);
  [url.username, url.password] = [role, role];
  const asWorker = async () => await runInProcess(['sql', 'SELECT 1'], { DATABASE_URL: url.href });
  const database = url.pathname.slice(1);
  await warehouse.database.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' IN ROLE order_sync_worker`);
  try {
    expect(await asWorker()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GRANT bi_reader TO'),
    });
    await warehouse.database.query(`GRANT bi_reader TO ${role}`);
    expect(await asWorker()).toMatchObject({ code: 0, stderr: '' });
    await warehouse.database.query(`REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`);
    expect(await asWorker()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GRANT TEMPORARY ON'),
    });
  } finally {
    await warehouse.database.query(`GRANT TEMPORARY ON DATABASE ${database} TO PUBLIC; DROP ROLE ${role}`);
  }
});

test('an interrupt cancels the query', async () => {
  const interrupt = new AbortController();
  const running = runInProcess(['sql', 'SELECT pg_sleep(600)::text'], env, interrupt.signal);
  const isAsleep = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  await until('it sleeps', async () => (await warehouse.database.query(isAsleep)).rows.length > 0);
  interrupt.abort();
  expect(await running).toMatchObject({ code: 130, stdout: '', stderr: 'Interrupted.\n' });
  expect((await warehouse.database.query(isAsleep)).rows).toEqual([]);
});
