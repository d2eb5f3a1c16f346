/** What a query on the command line may do: read, as the role that reads, and no more. */
import { randomBytes } from 'node:crypto';

import { beforeAll, expect, test } from 'vitest';

import { runInProcess } from '../support/run-in-process.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';

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

test('however many columns have one name, each has its own in JSON', async () => {
  const { stdout } = await sql('SELECT 1 AS n, 2 AS n_2, 3 AS n, 4 AS n', '--format', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ rows: [{ n: 1, n_2: 2, n_3: 3, n_4: 4 }] });
});

test('names and contacts need a word of their own', async () => {
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

test('a login that may not act as the reader is told what to ask for', async () => {
  const role = `order_sync_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(warehouse.url);
  [url.username, url.password] = [role, role];
  const asWorker = async () => await runInProcess(['sql', 'SELECT 1'], { DATABASE_URL: url.href });
  await warehouse.database.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' IN ROLE order_sync_worker`);
  try {
    expect(await asWorker()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GRANT bi_reader TO'),
    });
    await warehouse.database.query(`GRANT bi_reader TO ${role}`);
    const isOnlyUnproven = /^[^\n]*; the figures may be incomplete[.] [^\n]*\n$/;
    expect(await asWorker()).toMatchObject({ code: 0, stderr: expect.stringMatching(isOnlyUnproven) });
  } finally {
    await warehouse.database.query(`DROP ROLE ${role}`);
  }
});
