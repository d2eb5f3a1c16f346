/** Makes the bystander, before the tests. */
import type { ShopApi } from '../../src/shop-api/shop-api.ts';
import { openDatabase } from '../../src/warehouse/db/database.ts';
import { startDeletion } from '../../src/warehouse/directory/shop-life.ts';
import { maintainSummaries } from '../../src/warehouse/ops/refresh-summaries.ts';
import { BYSTANDER } from './bystander.ts';
import { withClient } from './database-clients.ts';
import { makeShopInProcess } from './in-process-shop.ts';
import { sweepOnce } from './sweep.ts';

/** Tests that make orders themselves number them from 1; simulated shops from 100,001, with gaps. */
const SMALL_IDS = 60;
const FIRST_LARGE_ID = 100_001;
/** Of tests whose time stands still; the others live in the present. */
const FIXED_TODAY = Temporal.PlainDate.from('2026-03-20');
const DAYS = 90;

/** Loads the shop as the program loads any, and gives it rows in the tables that stayed empty. */
export async function loadBystander(url: string): Promise<void> {
  const now = Temporal.Now.instant();
  await using simulator = makeShopInProcess({ orders: 0, days: 400, now });
  const today = now.toZonedDateTimeISO('Europe/Berlin').toPlainDate();
  const days = [FIXED_TODAY, today].flatMap((last) =>
    Array.from({ length: DAYS }, (_, ago) => last.subtract({ days: DAYS - 1 - ago })),
  );
  const numbers = new Map<string, string>();
  for (const [index, day] of days.entries()) {
    const { orderId } = simulator.shop.insertOrder({ createdLocal: day.toPlainDateTime('00:30') });
    const small = index % 3 === 0 && index / 3 < SMALL_IDS;
    numbers.set(String(orderId), String(small ? index / 3 + 1 : FIRST_LARGE_ID + index));
  }
  await using database = await openDatabase(url);
  const { db } = database;
  const shop = { shopKey: BYSTANDER, baseUrl: 'https://bystander.example' };
  const through = (api: ShopApi) => withOtherContents(api, numbers);
  await sweepOnce(simulator, db, undefined, shop, { through });
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ shop_id: number }>('SELECT shop_id FROM core.shops');
    for (const statement of MORE_ROWS) await client.query(statement);
    await startDeletion(db, rows[0]?.shop_id ?? 0);
  });
  await maintainSummaries(db);
  await withClient(url, (client) => client.query(`${TESTED}; ${WITHOUT_STATISTICS}`));
}

/**
 * The schema `tested`, in which tests look at their own shops: all tables and views by their names, those of `raw` and `bi` with
 * that before it, without the rows of the bystander, and of shops that an earlier test has left in the same database. They can
 * be written to as well.
 */
const TESTED = `
  DO $$
  DECLARE shop integer := (SELECT shop_id FROM core.shops); seen record;
  BEGIN
    CREATE SCHEMA tested;
    EXECUTE format('CREATE TABLE tested.earlier AS SELECT %s AS shop_id', shop);
    FOR seen IN
      SELECT nspname AS schema, relname AS name FROM pg_attribute
        JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
      WHERE attname = 'shop_id' AND NOT attisdropped AND relkind IN ('r', 'v') AND nspname IN ('core', 'ops', 'raw', 'bi')
    LOOP
      EXECUTE format('CREATE VIEW tested.%I AS SELECT * FROM %I.%I WHERE shop_id > (SELECT e.shop_id FROM tested.earlier e)',
        CASE WHEN seen.schema IN ('raw', 'bi') THEN seen.schema || '_' ELSE '' END || seen.name, seen.schema, seen.name);
    END LOOP;
  END $$`;

/** The shop's orders by other numbers, and its accounts and groups with names and levels of their own. */
function withOtherContents(api: ShopApi, numbers: ReadonlyMap<string, string>): ShopApi {
  const numberOf = (orderId: string) => numbers.get(orderId) ?? orderId;
  const originals = new Map([...numbers].map(([original, number]) => [number, original]));
  return {
    ...api,
    async listOrders(query, signal, retry) {
      const page = await api.listOrders(query, signal, retry);
      const rows = page.rows.map(({ orderId, raw }) => {
        const number = numberOf(orderId);
        return { orderId: number, raw: { ...raw, order_id: Number(number) } };
      });
      return { ...page, rows, keys: page.keys.map(numberOf) };
    },
    orderContent: (orderId, signal) => api.orderContent(originals.get(orderId) ?? orderId, signal),
    async user(key, signal) {
      const user = await api.user(key, signal);
      if (user.kind === 'gone') return user;
      return { ...user, raw: { ...user.raw, visible: '7', access: '7' } };
    },
    async groups(query, signal) {
      const groups = await api.groups(query, signal);
      return groups.flatMap((group) =>
        group.groupOid === undefined
          ? []
          : [{ groupOid: group.groupOid, raw: { ...group.raw, name: 'Group of the bystander' } }],
      );
    },
  };
}

/** Accounts and groups that tests number themselves, marks, and what a load has no reason to write. The shop is the only one yet. */
const MORE_ROWS: readonly string[] = [
  `INSERT INTO core.status_versions (shop_id, status_code, valid_until, valid_from, stage, is_sale)
   SELECT shop_id, status_code, '2020-01-02', '2020-01-01', 'unknown', false FROM core.order_statuses`,
  `INSERT INTO core.users (shop_id, user_oid, fetch_state, level, fetched_at)
   SELECT shop_id, oid, 'ok', 7, now() - interval '30 days' FROM core.shops, generate_series(1, 60) AS oid ON CONFLICT DO NOTHING`,
  `INSERT INTO core.user_groups (shop_id, group_oid, name)
   SELECT shop_id, oid, 'Group of the bystander' FROM core.shops, generate_series(1, 20) AS oid ON CONFLICT DO NOTHING`,
  `UPDATE core.orders SET missing_since = '2026-03-01', deleted_at = CASE WHEN order_id % 6 = 1 THEN '2026-03-02'::timestamptz END
   WHERE order_id % 3 = 1`,
  `UPDATE core.orders SET lines_state = 'failed', lines_attempts = 2 WHERE order_id % 5 = 2`,
  `INSERT INTO ops.rejections (shop_id, resource, source_key, field, reason, value, digest)
   SELECT shop_id, 'order', order_id, 'weight', 'not a number', 'text', 'bystander ' || order_id FROM core.orders WHERE order_id % 2 = 0`,
  `INSERT INTO ops.due (shop_id, kind, key, due_at, since) SELECT shop_id, 'missing', order_id, '2026-03-02', '2026-03-01'
   FROM core.orders WHERE order_id % 7 = 0`,
  `INSERT INTO ops.due (shop_id, kind, key, due_at, attempts, reason) SELECT shop_id, 'lines', order_id, '2026-03-01', 2, 'refused'
   FROM core.orders WHERE order_id % 5 = 2`,
  `INSERT INTO ops.erasures (shop_id, identifier_hash) SELECT shop_id, 'a hash of the bystander' FROM core.shops`,
  `UPDATE ops.shop_state SET findings = (SELECT jsonb_object_agg(cause, 'found at the bystander')
   FROM unnest(ARRAY['credentials', 'deletions', 'clock', 'drift', 'crashes']) AS cause)`,
  `INSERT INTO ops.alerts (shop_id, cause, text, raised_at) SELECT shop_id, 'failing', 'The bystander fails.', now() FROM core.shops`,
  `INSERT INTO core.order_form_fields (shop_id, field_key, is_shown) SELECT shop_id, 'bystander', true FROM core.shops`,
];

/** As in a database that nobody analyzed yet. Only a superuser can remove what is known of tables. */
const WITHOUT_STATISTICS = `
  DO $$
  BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
      DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace::regnamespace::text IN ('core', 'raw', 'ops'));
      UPDATE pg_class SET reltuples = -1, relpages = 0
      WHERE relnamespace::regnamespace::text IN ('core', 'raw', 'ops') AND relkind IN ('r', 'i');
    END IF;
  END $$`;
