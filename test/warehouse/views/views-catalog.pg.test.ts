/** The database as people find it: documented, read by role, and `bi` without personal data. */
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { readMigrationFiles } from '../../../src/warehouse/db/migration-files.ts';
import { loadShop, order } from './views-load.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const SCHEMAS = ['bi', 'bi_pii', 'core', 'ops', 'raw'];
const files = readMigrationFiles();
const views = files.filter(({ name }) => name.startsWith('views/'));
const LINE = { product: '7', name: 'Mug', sku: 'M1', quantity: 1, cents: 900, listCents: 1_000 };

const warehouse = fileWarehouse();
let client: Client;

beforeAll(async () => {
  client = await warehouse.database.connect();
  const lines = [LINE, { ...LINE, product: '8' }];
  await loadShop(warehouse.db, 'north', [
    order({ lines }),
    order({ customer: 'g:abc' }),
    order({ status: 'A' }),
    order({ status: 'R' }),
  ]);
  await client.query(
    `INSERT INTO tested.user_groups (shop_id, group_oid, name) SELECT shop_id, 90, 'Wholesale' FROM tested.shops`,
  );
  // A delivery, a field and a code of the shop's own, so that every view has rows.
  await client.query(`
    INSERT INTO tested.order_history (shop_id, order_id, seq, status_code, pay_status_code, not_before, observed_at,
      observed_until, is_initial)
    SELECT shop_id, order_id, seq, code, 'S', CASE WHEN seq = 2 THEN now() END, now(), CASE WHEN seq = 1 THEN now() END,
      seq = 1
    FROM tested.orders, (VALUES (1, 'A'), (2, 'C')) AS states(seq, code)`);
  await client.query(`
    INSERT INTO tested.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
    SELECT shop_id, 'X7', 'X7', 'unknown', false, false, false FROM tested.shops`);
  await client.query(`
    INSERT INTO core.order_persons (shop_id, order_id, fields)
    SELECT shop_id, order_id, '{"gift": {"value": "yes", "name": "gift", "label": null}}' FROM tested.orders
    ON CONFLICT (shop_id, order_id) DO UPDATE SET fields = excluded.fields`);
});
afterAll(() => client.end());

/** Every schema, table, view and column of ours with its comment, and what the views say. */
async function catalog() {
  const { rows } = await client.query<{ name: string; comment: string | null; definition: string | null }>(
    `SELECT n.nspname AS name, obj_description(n.oid, 'pg_namespace') AS comment, n.nspacl::text AS definition
     FROM pg_namespace n WHERE n.nspname = ANY ($1)
     UNION ALL
     SELECT concat_ws('.', n.nspname, c.relname, a.attname),
       CASE WHEN a.attnum IS NULL THEN obj_description(c.oid, 'pg_class') ELSE col_description(c.oid, a.attnum) END,
       CASE WHEN a.attnum IS NULL THEN c.relacl::text || pg_get_viewdef(c.oid) END
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN LATERAL (
       SELECT attname, attnum FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
       UNION ALL SELECT NULL, NULL
     ) a ON true
     WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p', 'v', 'm')
     ORDER BY 1`,
    [SCHEMAS],
  );
  return rows;
}

async function viewsOf(schema: string): Promise<readonly string[]> {
  const query = 'SELECT table_name AS name FROM information_schema.views WHERE table_schema = $1 ORDER BY 1';
  const { rows } = await client.query<{ name: string }>(query, [schema]);
  return rows.map(({ name }) => `${schema}.${name}`);
}

test('every schema, table, view and column has a comment, but for views that only views read', async () => {
  const inner = await viewsOf('core');
  const entries = (await catalog()).filter(
    ({ name }) => !inner.some((view) => `${name}.`.startsWith(`${view}.`)),
  );
  expect(entries.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...SCHEMAS,
      'core.orders',
      'core.orders.order_sum',
      'bi.orders',
      'bi.orders.shop',
    ]),
  );
  const silent = entries.filter(({ comment }) => !/^\p{Lu}.{12,}\.$/u.test(comment ?? ''));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

/** The columns of a table that views of a schema read. */
async function columnsRead(schema: string, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT a.attname AS name
     FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class v ON v.oid = r.ev_class
     JOIN pg_attribute a ON a.attrelid = d.refobjid AND (a.attnum = d.refobjsubid OR d.refobjsubid = 0)
     WHERE d.classid = 'pg_rewrite'::regclass AND v.relnamespace = $1::regnamespace AND d.refobjid = $2::regclass
       AND a.attnum > 0`,
    [schema, table],
  );
  return rows.map(({ name }) => name);
}

/** The views that read a table themselves. */
async function readersOf(table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT v.oid::regclass::text AS name
     FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class v ON v.oid = r.ev_class
     WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid = $1::regclass
       AND v.relnamespace <> 'tested'::regnamespace
     ORDER BY 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

test('no view of bi reveals who a buyer is', async () => {
  const personal = ['buyer_name', 'buyer_email', 'buyer_phone', 'buyer_address', 'comment'];
  expect(await columnsRead('bi', 'core.orders')).toContain('order_sum');
  expect((await columnsRead('core', 'core.order_persons')).toSorted()).toEqual([
    'fields',
    'order_id',
    'shop_id',
  ]);
  expect(await columnsRead('bi', 'core.user_persons')).toEqual([]);
  expect(await readersOf('core.order_persons')).toEqual(['bi_pii.order_contacts', 'core.order_entries']);
  expect(await readersOf('core.order_entries')).toEqual(['bi.order_fields', 'core.order_entries']);
  expect(await readersOf('core.user_persons')).toEqual(['bi_pii.users']);
  expect((await columnsRead('bi', 'core.users')).toSorted()).toEqual([
    'created_local',
    'group_oid',
    'shop_id',
    'user_oid',
  ]);
  for (const table of ['raw.orders', 'raw.order_contents', 'raw.users'])
    expect(await columnsRead('bi', table)).toEqual([]);

  const secret = 'a-personal-value';
  const contents = [...personal, 'rest', 'content_rest'];
  // One field is shown, and the others hold the same.
  await client.query(`
    INSERT INTO core.order_form_fields (shop_id, field_key, is_shown)
    SELECT shop_id, 'gift', true FROM tested.shops UNION ALL SELECT shop_id, 'recipient', false FROM tested.shops`);
  await client.query(
    `UPDATE core.order_persons SET (${contents.join(', ')}) = (SELECT ${contents.map((column) => (personal.includes(column) ? '$1' : 'to_jsonb($1::text)')).join(', ')}),
       fields = fields || jsonb_build_object('recipient', jsonb_build_object('value', $1::text), $1::text, 'x'::text)
     WHERE shop_id IN (SELECT shop_id FROM tested.shops)`,
    [secret],
  );
  await client.query(
    `INSERT INTO core.user_persons (shop_id, user_oid, name, email, login, content)
     SELECT shop_id, user_oid, $1, $1, $1, to_jsonb($1::text) FROM core.users
     WHERE shop_id IN (SELECT shop_id FROM tested.shops)
     ON CONFLICT (shop_id, user_oid) DO UPDATE SET name = excluded.name, email = excluded.email`,
    [secret],
  );
  for (const view of await viewsOf('bi')) {
    const { rows } = await client.query(
      `SELECT count(*) > 0 AS "hasRows", count(*) FILTER (WHERE strpos(v::text, $1) > 0)::int AS leaks FROM ${view} v`,
      [secret],
    );
    expect({ view, ...rows[0] }).toEqual({ view, hasRows: true, leaks: 0 });
  }
});

test('each view file creates the view that it is named after, and every view has a file', async () => {
  const created = views.map(({ name, sql }) => ({
    name,
    views: [...new Set([...sql.matchAll(/^\s*CREATE OR REPLACE VIEW (\S+)/gm)].map(([, view]) => view))],
  }));
  for (const { name, views } of created) {
    expect(views).toEqual([expect.stringMatching(new RegExp(`^\\w+[.]${name.replace('views/', '')}$`))]);
  }
  const all = [...(await viewsOf('core')), ...(await viewsOf('bi')), ...(await viewsOf('bi_pii'))];
  expect(new Set(created.flatMap(({ views }) => views))).toEqual(new Set(all));
});

test('applying a view again changes nothing', async () => {
  const before = await catalog();
  for (const { sql } of views) await client.query(sql);
  expect(await catalog()).toEqual(before);
});

test('a filter on the day reaches the orders, or the sums of days, through every view that has one', async () => {
  const { rows } = await client.query<{ view: string }>(`
    SELECT table_name AS view FROM information_schema.columns
    WHERE table_schema = 'bi' AND column_name = 'order_date' ORDER BY 1`);
  expect(rows.length).toBeGreaterThanOrEqual(9);
  for (const { view } of rows) {
    const plan = await client.query(
      `EXPLAIN (FORMAT JSON) SELECT * FROM bi.${view} WHERE order_date = '2025-11-01'`,
    );
    const text = JSON.stringify(plan.rows);
    expect(text, view).toMatch(
      /"(Index Cond|Recheck Cond|Filter)":"[^"]*(created_on|day) = '2025-11-01'::date/,
    );
    expect(text, `${view} is filtered where rows are read`).not.toContain('order_date =');
  }
});
