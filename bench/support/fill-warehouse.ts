/**
 * A shop of any size, made by the server itself: two years of orders with lines, history, users, groups and a ledger.
 * Distributions are those of a mid-sized shop: a few products and customers make most of the sales, four orders of ten
 * are of guests, one of six is no sale, and one of three has extra fields.
 */
import type { Client } from 'pg';

import type { Db } from '../../src/warehouse/db/database.ts';
import { maintainSummaries } from '../../src/warehouse/ops/refresh-summaries.ts';

const DAYS = 730;
const PRODUCTS = 4_000;
export const usersOf = (orders: number) => Math.ceil(orders * 0.15);
const guestsOf = (orders: number) => Math.ceil(orders * 0.25);

export type History = {
  readonly orders: number;
};

/**
 * Fills a migrated database in which shop 1 is registered. Every day is verified, and every user known. There are no
 * statistics and no summaries yet, and no autovacuum gathers any: see `refreshAll`.
 */
export async function fillWarehouse(client: Client, history: History): Promise<void> {
  await client.query(STOP_AUTOVACUUM);
  // Checking each of the foreign keys would take longer than everything else; what is made here is consistent.
  await client.query(`SET session_replication_role = replica; SELECT setseed(0.5)`);
  for (const statement of [
    people(history),
    drafts(history),
    LINES,
    ORDERS,
    PERSONS,
    HISTORY,
    VERSIONS,
    LEDGER,
  ]) {
    await client.query(statement);
  }
  await client.query('RESET session_replication_role');
}

/** Recomputes all summaries, with statistics as order-sync gathers them by itself after a load. */
export async function refreshAll(client: Client, db: Db): Promise<void> {
  await client.query('SELECT ops.mark_everything()');
  await maintainSummaries(db);
}

const STOP_AUTOVACUUM = `
  DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT oid::regclass::text FROM pg_class
      WHERE relkind = 'r' AND relnamespace::regnamespace::text IN ('core', 'ops', 'raw')
    LOOP EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', name); END LOOP;
  END $$`;

const people = ({ orders }: History) => `
  INSERT INTO core.user_groups (shop_id, group_oid, name)
  SELECT 1, n, 'Group ' || n FROM generate_series(1, 40) n ON CONFLICT DO NOTHING;
  INSERT INTO core.users (shop_id, user_oid, fetch_state, group_oid, fetched_at)
  SELECT 1, 1000 + n, 'ok', 1 + floor(40 * power(random(), 2)), now()
  FROM generate_series(1, ${usersOf(orders)}) n ON CONFLICT DO NOTHING;
  INSERT INTO core.user_persons (shop_id, user_oid, email, name)
  SELECT 1, 1000 + n, 'user' || n || '@mail.example', 'User ' || n
  FROM generate_series(1, ${usersOf(orders)}) n ON CONFLICT DO NOTHING;
  INSERT INTO core.users (shop_id, user_oid, fetch_state) VALUES (1, 6, 'guest') ON CONFLICT DO NOTHING`;

/** What is drawn once per order. Orders come evenly, at any time of the day; the last two weeks are still under way. */
const drafts = ({ orders }: History) => `
  CREATE TEMP TABLE draft AS
  SELECT
    n AS order_id,
    date_trunc('minute', now() AT TIME ZONE 'Europe/Berlin' - interval '1 hour'
      - make_interval(secs => 86400.0 * ${DAYS} * (${orders} - n) / ${orders})) AS created_local,
    n > ${orders} * (1 - 14.0 / ${DAYS}) AS is_recent,
    random() < 0.4 AS is_guest,
    1000 + ceil(${usersOf(orders)} * power(random(), 2))::bigint AS user_oid,
    floor(${guestsOf(orders)} * power(random(), 1.5))::int AS guest,
    random() AS fate, random() AS mark, random() AS money, random() AS extra, random() AS path,
    1 + floor(6 * random() * random() + 2 * random())::int AS line_count
  FROM generate_series(1, ${orders}) n`;

const LINES = `
  CREATE TEMP TABLE draft_line AS
  SELECT d.order_id, line_no, 1 + floor(${PRODUCTS} * power(random(), 2.5))::bigint AS product,
    CASE WHEN random() < 0.85 THEN 1 ELSE 2 + floor(3 * random()) END AS quantity, random() < 0.3 AS is_discounted
  FROM draft d, generate_series(1, d.line_count) line_no;
  INSERT INTO core.order_lines (shop_id, order_id, line_no, line_oid, product_oid, spec_hash, code, product_name, sku,
    quantity, unit_price, line_total, list_price, list_total)
  SELECT 1, order_id, line_no, product || '_' || md5(line_no::text), CASE WHEN product <> 77 THEN product END,
    md5(line_no::text), 'P' || product, 'Product number ' || product, 'SKU-' || product, quantity, price, quantity * price,
    list_price, quantity * list_price
  FROM draft_line,
    LATERAL (SELECT (5 + product * 7919 % 20000 / 100.0)::numeric(14, 2) AS list_price) l,
    LATERAL (SELECT CASE WHEN is_discounted THEN round(list_price * 0.9, 2) ELSE list_price END AS price) p`;

/** Codes and their parts of all orders; an order under way has one of the first four. */
const STATUS = `CASE
  WHEN is_recent AND fate < 0.7 THEN (ARRAY['A', 'N', 'P', 'O'])[1 + floor(fate / 0.7 * 4)::int]
  WHEN fate < 0.78 THEN 'C' WHEN fate < 0.82 THEN 'Q' WHEN fate < 0.92 THEN 'F' WHEN fate < 0.95 THEN 'R'
  WHEN fate < 0.96 THEN 'K' WHEN fate < 0.975 THEN 'U' WHEN fate < 0.98 THEN '' ELSE 'M' END`;

const FIELDS = `CASE WHEN extra < 0.34 THEN jsonb_build_object(
    'source', jsonb_build_object('value', (ARRAY['search', 'newsletter', 'friends', 'banner'])[1 + guest % 4],
      'name', 'source', 'label', 'How did you find us?'),
    'gift_wrap', jsonb_build_object('value', CASE WHEN path < 0.2 THEN 'yes' ELSE 'no' END, 'name', 'gift_wrap', 'label', 'Wrap it?'))
  END`;

const ORDERS = `
  INSERT INTO core.orders (shop_id, order_id, status_code, pay_status_code, buyer_oid, is_guest, customer_key, created_on,
    created_local, created_at, updated_local, updated_at, currency, pay_method, order_sum, paid_amount, delivery_price,
    item_count, weight, delivery_name, delivery_id, order_hash, views, fingerprint, lines_state, lines_fetched_at, first_seen_at, observed_at,
    missing_since, deleted_at, lines_total, list_total, units, changed_at, stored_at)
  SELECT 1, order_id, ${STATUS}, CASE WHEN money < 0.7 THEN 'FP' ELSE 'S' END,
    CASE WHEN is_guest THEN 6 ELSE user_oid END, is_guest,
    CASE WHEN NOT is_guest THEN 'u:' || user_oid WHEN guest % 20 = 0 THEN 'o:' || order_id ELSE 'g:' || md5(guest::text) END,
    created_local::date, created_local, created_at, created_local + interval '3 days', created_at + interval '3 days',
    CASE WHEN money < 0.12 THEN 'USD' WHEN money < 0.999 THEN 'EUR' END, CASE WHEN money < 0.7 THEN 'card' ELSE 'cash' END,
    total + 4.9, CASE WHEN money < 0.7 THEN total + 4.9 ELSE 0 END, 4.9, quantity, 1.5,
    'Courier number ' || guest % 7, guest % 7, md5(order_id::text), guest % 30,
    md5(order_id::text), CASE WHEN mark < 0.999 THEN 'ok' ELSE 'failed' END, created_at + interval '3 days', created_at,
    created_at + interval '3 days', CASE WHEN mark < 0.011 THEN created_at + interval '5 days' END,
    CASE WHEN mark < 0.01 THEN created_at + interval '6 days' END, total, list_total, quantity, created_at + interval '3 days',
    created_at + interval '5 minutes'
  FROM draft
  JOIN (
    SELECT order_id, sum(line_total) AS total, sum(list_total) AS list_total, sum(quantity)::int AS quantity FROM core.order_lines GROUP BY order_id
  ) lines USING (order_id),
  LATERAL (SELECT created_local AT TIME ZONE 'Europe/Berlin' AS created_at) at`;

const PERSONS = `
  INSERT INTO core.order_persons (shop_id, order_id, buyer_name, buyer_email, buyer_phone, buyer_address, fields)
  SELECT 1, order_id, 'Somebody ' || guest, 'buyer' || guest || '@mail.example', '+49301234567',
    'Street ' || guest || ', 10115 Berlin', ${FIELDS}
  FROM draft`;

/** Accepted, one or two states on the way, and the state of today: three entries of most orders. */
const HISTORY = `
  INSERT INTO core.order_history (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount, not_before,
    observed_at, observed_until, is_initial)
  SELECT 1, order_id, seq, codes[seq], o.pay_status_code, o.order_sum, o.paid_amount,
    CASE WHEN seq > 1 THEN at + interval '19 hours' * (seq - 1) END, at + interval '20 hours' * (seq - 1),
    CASE WHEN seq < cardinality(codes) THEN at + interval '20 hours' * seq END, seq = 1
  FROM (
    SELECT order_id, created_local AT TIME ZONE 'Europe/Berlin' + interval '5 minutes' AS at,
      CASE WHEN path < 0.1 THEN '{}' WHEN path < 0.4 THEN '{A,P}' WHEN path < 0.7 THEN '{A,O}' WHEN path < 0.9 THEN '{N,S}'
        ELSE '{A,P,O}' END::text[] || ${STATUS} AS codes
    FROM draft
  ) d
  JOIN core.orders o USING (order_id), generate_series(1, cardinality(codes)) seq`;

/** The reports showed each of these states in its time, and since always. */
const VERSIONS = `
  INSERT INTO core.order_versions (shop_id, order_id, valid_until, valid_from, created_on, created_at, currency, status_code, customer_key,
    order_sum, paid_amount, units, is_deleted, is_reread)
  SELECT 1, order_id, h.observed_until, h.observed_at, o.created_on, o.created_at, o.currency, h.status_code, o.customer_key, h.order_sum,
    h.paid_amount, o.units, false, false
  FROM draft JOIN core.orders o USING (order_id) JOIN core.order_history h USING (shop_id, order_id)
  WHERE shop_id = 1 AND h.observed_until < now();
  UPDATE core.shops SET versions_since = '2000-01-01' WHERE shop_id = 1`;

const LEDGER = `
  INSERT INTO ops.days (shop_id, day, verified_at, orders_seen)
  SELECT 1, created_on, now() - interval '1 minute', count(*) FROM core.orders WHERE deleted_at IS NULL GROUP BY created_on
  ON CONFLICT DO NOTHING;
  INSERT INTO ops.runs (shop_id, kind, status, finished_at, version) VALUES (1, 'sync', 'ok', now(), 'bench');
  -- As owners do, or no view would read what buyers entered.
  INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) VALUES (1, 'source', true) ON CONFLICT DO NOTHING`;
