/** Each role as somebody who logs in with it: what it reads, and what it is refused. */
import { randomBytes } from 'node:crypto';

import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { runMigrations } from '../../src/warehouse/db/migrations.ts';
import { withClient } from '../support/database-clients.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';
import { blankDatabase } from '../support/database.ts';
import { createLogin } from '../support/login.ts';
import { fileWarehouse } from '../warehouse/test-warehouse.ts';

const PERSONAL = 'anna@mail.example';

const warehouse = fileWarehouse();
let admin: Client;

beforeAll(async () => {
  admin = await warehouse.database.connect();
  await loadShop(warehouse.db, 'north', [order({})]);
  await admin.query(
    `INSERT INTO core.order_persons (shop_id, order_id, buyer_email) SELECT shop_id, order_id, $1 FROM tested.orders`,
    [PERSONAL],
  );
  await admin.query(
    `INSERT INTO core.user_persons (shop_id, user_oid, email)
     SELECT shop_id, user_oid, $1 FROM tested.users WHERE fetch_state = 'ok'`,
    [PERSONAL],
  );
});
afterAll(() => admin.end());

/** Logs in as a new user who has been granted the role alone. */
async function as(role: string, work: (client: Client) => Promise<void>): Promise<void> {
  await using login = await createLogin(warehouse.url, role);
  await withClient(login.url, work);
}

async function relationsOf(schemas: readonly string[]): Promise<readonly string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, name) AS name FROM (
       SELECT schemaname, tablename AS name FROM pg_tables UNION ALL SELECT schemaname, viewname FROM pg_views) all_of_them
     WHERE schemaname = ANY ($1) ORDER BY 1`,
    [schemas],
  );
  expect(rows.length).toBeGreaterThan(0);
  return rows.map(({ name }) => name);
}

async function expectRefused(client: Client, schemas: readonly string[]): Promise<void> {
  for (const relation of await relationsOf(schemas)) {
    await expect(client.query(`SELECT FROM ${relation}`), relation).rejects.toThrow('permission denied');
  }
}

test('bi_reader reads every view of bi, and nothing with personal data', async () => {
  const views = await relationsOf(['bi']);
  await as('bi_reader', async (client) => {
    for (const view of views) await client.query(`SELECT * FROM ${view}`);
    expect((await client.query(`SELECT orders FROM bi.daily_sales WHERE shop = 'north'`)).rows).toEqual([
      { orders: '1' },
    ]);
    await expectRefused(client, ['core', 'raw', 'ops', 'bi_pii']);
  });
});

test('bi_pii_reader reads contacts too, but no table', async () => {
  await as('bi_pii_reader', async (client) => {
    for (const view of await relationsOf(['bi', 'bi_pii'])) await client.query(`SELECT * FROM ${view}`);
    const contact =
      'SELECT c.buyer_email, u.email FROM bi_pii.order_contacts c JOIN bi_pii.users u USING (shop_id, customer_key) WHERE c.buyer_email = $1';
    expect((await client.query(contact, [PERSONAL])).rows).toEqual([
      { buyer_email: PERSONAL, email: PERSONAL },
    ]);
    await expectRefused(client, ['core', 'raw', 'ops']);
  });
});

test('nobody but its owner and the workers reads the secret of the guests, whoever reads all new tables by default', async () => {
  await using blank = await blankDatabase();
  const role = `order_sync_test_${randomBytes(6).toString('hex')}`;
  await using database = await openDatabase(blank.url, 2);
  await database.query(`CREATE ROLE ${role} NOLOGIN`);
  try {
    await database.query(`ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ${role}, PUBLIC`);
    await runMigrations(database);
    const { rows } = await database.query(
      `SELECT c.oid::regclass || ' ' || a.grantee::regrole AS name
       FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
       WHERE a.grantee <> c.relowner AND c.relnamespace = 'ops'::regnamespace AND c.relkind = 'r'`,
    );
    const granted = rows.map(({ name }) => String(name));
    expect(granted).toContain(`ops.shop_state ${role}`);
    const secret = granted.filter((name) => name.startsWith('ops.guest_secrets'));
    expect(new Set(secret)).toEqual(new Set(['ops.guest_secrets order_sync_worker']));
  } finally {
    await database.query(`DROP OWNED BY ${role}`);
    await database.query(`DROP ROLE ${role}`);
  }
});

test('views that their owner makes later are readable too', async () => {
  await admin.query('CREATE VIEW bi.later AS SELECT 1 AS one; CREATE VIEW bi_pii.later AS SELECT 2 AS two');
  await as('bi_reader', async (client) => {
    expect((await client.query('SELECT * FROM bi.later')).rows).toEqual([{ one: 1 }]);
    await expect(client.query('SELECT * FROM bi_pii.later')).rejects.toThrow('permission denied');
  });
  await as('bi_pii_reader', async (client) => {
    expect((await client.query('SELECT * FROM bi.later, bi_pii.later')).rows).toEqual([{ one: 1, two: 2 }]);
  });
});

test('each view is granted to the role of its schema, also where that role came later', async () => {
  const { rows } = await admin
    .query(`
    BEGIN; REVOKE SELECT ON ALL TABLES IN SCHEMA bi FROM bi_reader; REVOKE SELECT ON ALL TABLES IN SCHEMA bi_pii FROM bi_pii_reader;
    SELECT ops.grant_to_roles();
    SELECT c.oid::regclass::text AS unreadable FROM pg_class c
    WHERE c.relnamespace IN ('bi'::regnamespace, 'bi_pii'::regnamespace) AND c.relkind = 'v'
      AND NOT has_table_privilege(c.relnamespace::regnamespace || '_reader', c.oid, 'SELECT')`)
    .then((results) => [results].flat().at(-1) ?? { rows: [] });
  await admin.query('ROLLBACK');
  expect(rows).toEqual([]);
});

test.each(['bi_reader', 'bi_pii_reader'])('%s changes nothing', async (role) => {
  await as(role, async (client) => {
    for (const statement of [
      'CREATE VIEW bi.mine AS SELECT 1',
      'DELETE FROM core.orders',
      'DROP VIEW bi.orders',
      'UPDATE core.order_statuses SET is_sale = true',
    ]) {
      await expect(client.query(statement), statement).rejects.toThrow(/permission denied|must be owner/);
    }
  });
});
