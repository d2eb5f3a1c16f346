import { beforeAll, describe, expect, test } from 'vitest';

import { startCommand } from '../support/command-line.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { createLogin } from '../support/login.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';
import { until } from '../support/until.ts';

const PERSONAL = 'anna@mail.example';

const warehouse = fileWarehouse();
let env: { readonly DATABASE_URL: string };

beforeAll(async () => {
  env = { DATABASE_URL: warehouse.url };
  await loadShop(warehouse.db, 'north', [order({ cents: 1_050, day: '2026-03-01' }), order({ cents: null })]);
  await warehouse.database.query(
    `INSERT INTO core.order_persons (shop_id, order_id, buyer_email) SELECT shop_id, order_id, $1 FROM tested.orders`,
    [PERSONAL],
  );
});

const sql = (query: string, ...options: readonly string[]) => runInProcess(['sql', query, ...options], env);

test('a query on the command line prints a table, and may name views without their schema', async () => {
  const query = `SELECT order_sum, paid_amount, currency, is_sale FROM orders WHERE shop = 'north' ORDER BY order_sum`;
  expect(await runInProcess(['sql', query], env)).toMatchObject({
    code: 0,
    // No sweep has looked at it.
    stderr: expect.stringMatching(
      /^[^\n]*; north: no day is verified yet; the figures may be incomplete[.] [^\n]*\n$/,
    ),
    stdout: [
      'order_sum  paid_amount  currency  is_sale',
      '    10.50         0.00  EUR       true',
      '     NULL         0.00  EUR       true',
      '(2 rows)',
      '',
    ].join('\n'),
  });
});

test('a printed time can be passed to the functions of the past, in any zone', async () => {
  for (const zone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
    const options = ['--timezone', zone, '--format', 'csv'];
    const printed = await sql(`SELECT versions_since FROM shops WHERE shop = 'north'`, ...options);
    const [, time = ''] = printed.stdout.split('\n');
    const asOf = await sql(`SELECT count(*) > 0 AS is_known FROM daily_sales_asof('${time}')`, ...options);
    expect(asOf, asOf.stderr).toMatchObject({ code: 0, stdout: 'is_known\ntrue\n' });
  }
});

test('standard input serves too', async () => {
  const query = `-- sales\nSELECT count(*) AS orders\nFROM bi.orders WHERE shop = 'north';\n`;
  const piped = startCommand(['sql', '--format', 'csv'], env, undefined, query);
  expect(await piped.outcome).toMatchObject({ code: 0, stdout: 'orders\n2\n' });
  const usage = [
    ['sql'],
    ['sql', ' '],
    ['sql', 'SELECT 1', '--format', 'xml'],
    ['sql', 'SELECT 1', '--timeout', 'soon'],
    // To PostgreSQL, no time at all means no end.
    ['sql', 'SELECT 1', '--timeout', '0s'],
    ['sql', 'SELECT 1', '--timezone', 'Europe/Atlantis'],
    ['sql', 'SELECT 1', '--views'],
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
  expect(JSON.parse(stdout)).toMatchObject({
    rows: [
      {
        nothing: null,
        empty: '',
        at: '2026-03-01T13:00:00+01:00',
        day: '2026-03-01',
        n_2: true,
        list: '{1,2}',
      },
    ],
  });
  expect(await sql('SELECT WHERE false', '--json')).toMatchObject({ code: 1 });
  const none = await sql('SELECT 1 WHERE false', '--format', 'json');
  expect(JSON.parse(none.stdout)).toMatchObject({ rows: [] });
});

test('a large result streams: all rows as CSV', async () => {
  const query = 'SELECT n, repeat($$x$$, 100) AS text FROM generate_series(1, 2500) AS n';
  const csv = await sql(query, '--format', 'csv');
  expect(csv.stdout.trimEnd().split('\n')).toHaveLength(2501);
  expect(csv.stdout).toMatch(/\n2500,x+\n$/);
});

describe('errors say where and what next:', () => {
  const cases: readonly (readonly [query: string, says: RegExp])[] = [
    ['SELECT 1\n  FRM orders', /syntax error.*\nLINE 2, from here: orders\n/],
    ['SELECT ordr_sum FROM orders', /LINE 1, from here: ordr_sum FROM orders\nHint: .*order_sum/],
    ["SELECT 'ж', ordr_sum\nFROM orders", /\nLINE 1, from here: ordr_sum\n/],
    [
      'SELECT * FROM ordrs',
      /"ordrs" does not exist\nLINE 1, .*: ordrs\nHint: `order-sync sql --views` lists/,
    ],
    ['SELECT * FROM core.orders', /permission denied for schema core\nLINE 1.*\n$/],
    ['SELECT * FROM bi_pii.order_contacts', /permission denied for schema bi_pii\nLINE 1.*\nHint: --pii /],
    ['SELECT pg_sleep(9)::text', /canceling statement due to statement timeout/],
    ["SET timezone = 'UTC'", /returns no rows; only queries/],
    ['SELECT 1; SELECT 2', /^The query failed: cannot insert multiple commands into a prepared statement\n$/],
  ];
  test.each(cases)('%s', async (query, says) => {
    const { code, stdout, stderr } = await sql(
      query,
      ...(query.includes('pg_sleep') ? ['--timeout', '1s'] : []),
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(says);
  });
});

test('a query that fails is an error like any other: with --debug it has a stack, with --json a document', async () => {
  const debugged = await sql('SELECT ordr_sum FROM orders', '--debug');
  expect(debugged.stderr).toMatch(/Hint: [^]*\nQueryError\n {4}at /);
  for (const json of [['--json'], ['--format', 'json']]) {
    const { stdout, stderr } = await sql('SELECT ordr_sum FROM orders', ...json);
    expect(JSON.parse(stdout)).toEqual({ shop: null, status: 'failed', error: stderr.trimEnd() });
  }
});

test('a query without quotes, or in another encoding, is refused', async () => {
  const unquoted = await runInProcess(['sql', 'SELECT', '1'], env);
  expect(unquoted).toMatchObject({ code: 2, stderr: expect.stringContaining('Put the query in quotes') });
  expect((await runInProcess(['sql', '-- a comment'], env)).stderr).toContain('returns no rows');
  expect((await runInProcess(['sql', '--unknown'], env)).stderr).toContain('unknown option');
  const piped = (bytes: Uint8Array) =>
    startCommand(['sql', '--format', 'csv'], env, undefined, bytes).outcome;
  const inCyrillic = Buffer.from("SELECT '\xcf\xf0\xe8' AS a", 'latin1');
  for (const bytes of [inCyrillic, Buffer.from('SELECT 1', 'utf16le')]) {
    expect(await piped(bytes)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'Standard input is not UTF-8; save the query in this encoding.\n',
    });
  }
  expect((await piped(Buffer.from("\uFEFFSELECT 'При' AS a"))).stdout).toBe('a\nПри\n');
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

test('nothing is written, whatever the query', async () => {
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
    'EXPLAIN ANALYZE DELETE FROM orders',
    'SELECT 1 AS a INTO mine',
    'SELECT * FROM orders FOR UPDATE',
    "SELECT lo_from_bytea(0, 'x')",
    'CREATE TEMP TABLE mine AS SELECT 1 AS one',
    'COMMIT',
  ];
  for (const write of writes) {
    const { code, stdout, stderr } = await sql(write);
    expect({ write, code, stdout, stderr }).toEqual({
      write,
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('The query failed: '),
    });
  }
  const left = await warehouse.database.query('SELECT count(*)::int AS n FROM tested.orders');
  expect(left.rows).toEqual([{ n: 2 }]);
});

test('every statement that only reads can be run', async () => {
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

test('however many columns have one name, each has its own in JSON', async () => {
  const { stdout } = await sql('SELECT 1 AS n, 2 AS n_2, 3 AS n, 4 AS n', '--format', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ rows: [{ n: 1, n_2: 2, n_3: 3, n_4: 4 }] });
});

test('names and contacts need --pii', async () => {
  const query = `SELECT buyer_email FROM order_contacts WHERE shop = 'north' LIMIT 1`;
  expect(await sql(query)).toMatchObject({ code: 1 });
  expect((await sql(query, '--pii', '--format', 'csv')).stdout).toBe(`buyer_email\n${PERSONAL}\n`);
});

test('a query that reads what the role may not is refused', async () => {
  for (const query of [
    'SELECT buyer_email FROM core.order_persons',
    'SELECT 1; SELECT buyer_email FROM core.order_persons',
    'COPY core.order_persons TO STDOUT',
    "SELECT pg_read_file('/etc/passwd')",
  ]) {
    const { code, stdout, stderr } = await sql(query, '--format', 'csv');
    expect({ query, code, leaks: (stdout + stderr).includes(PERSONAL) }).toEqual({
      query,
      code: 1,
      leaks: false,
    });
  }
});

test('a login that may not act as the reader gets an error that says which grant is needed', async () => {
  await using login = await createLogin(warehouse.url, 'order_sync_worker');
  const asWorker = async () => await runInProcess(['sql', 'SELECT 1'], { DATABASE_URL: login.url });
  expect(await asWorker()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('GRANT bi_reader TO'),
  });
  await warehouse.database.query(`GRANT bi_reader TO ${login.name}`);
  const isOnlyUnproven = /^[^\n]*; the figures may be incomplete[.] [^\n]*\n$/;
  expect(await asWorker()).toMatchObject({ code: 0, stderr: expect.stringMatching(isOnlyUnproven) });
});

test('times are in the shared zone of the shops, or in the requested zone', async () => {
  const query = "SELECT TIMESTAMPTZ '2026-07-01 12:00Z' AS at";
  const csv = async (...options: readonly string[]) =>
    (await sql(query, '--format', 'csv', ...options)).stdout;
  expect(await csv()).toBe('at\n2026-07-01 14:00:00+02\n');
  expect(await csv('--timezone', 'Asia/Tokyo')).toBe('at\n2026-07-01 21:00:00+09\n');
  // It stays, so this is the last test.
  await loadShop(warehouse.db, 'far', [], 'Asia/Tokyo');
  expect(await csv()).toBe('at\n2026-07-01 12:00:00+00\n');
});
