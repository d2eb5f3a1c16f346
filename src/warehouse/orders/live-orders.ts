/** Reads and counts orders that are not missing. */
import { sql, type SQL } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { recordset } from '../db/upsert.ts';
import { type Facet, type OrderCount, SUM_STEPS } from '../../model/order-facets.ts';

export const IS_LIVE = sql`missing_since IS NULL AND deleted_at IS NULL`;

/** Days, both ends included; an undefined end is open. Orders without a date count if both ends are open. */
export type CountedDays = {
  readonly from: Temporal.PlainDate | undefined;
  readonly to: Temporal.PlainDate | undefined;
};

/** Those that the views show: one that may be gone is shown until that is confirmed. */
const IS_SHOWN = sql`deleted_at IS NULL`;

/** Orders of a shop and of some days. */
function isCounted(shopId: number, { from, to }: CountedDays, which = IS_LIVE): SQL {
  const isOfShop = sql`shop_id = ${shopId} AND ${which}`;
  if (from === undefined && to === undefined) return isOfShop;
  const [first, last] = [from?.toString() ?? '-infinity', to?.toString() ?? 'infinity'];
  return sql`${isOfShop} AND created_on BETWEEN ${first} AND ${last}`;
}

type Figures = { readonly orders: number; readonly sum: string };

/** Orders and the sum of them in one currency, in capitals, '' for none: what the shop lists, and what the views show. */
export type CurrencyComparison = {
  readonly currency: string;
  readonly shop: Figures;
  readonly warehouse: Figures;
  readonly is_equal: boolean;
};
/** Of one month: `2026-01`, or `no date`. */
export type MonthComparison = CurrencyComparison & { readonly month: string };

/** Listed orders of a month, or of an unknown one, in one currency. */
export type ListedMonth = {
  readonly month: string | null;
  readonly currency: string | null;
  readonly orders: number;
  readonly cents: bigint;
};

/** @returns ascending, those without a date last */
export async function compareMonths(
  db: Db,
  shopId: number,
  days: CountedDays,
  listed: readonly ListedMonth[],
) {
  const rows = listed.map((sum) => ({ ...sum, cents: String(sum.cents) }));
  const input = recordset({ month: 'text', currency: 'text', orders: 'int', cents: 'numeric' }, rows);
  const figures = (which: SQL) => sql`json_build_object(
    'orders', coalesce(sum(orders) FILTER (WHERE ${which}), 0)::int,
    'sum', (coalesce(sum(cents) FILTER (WHERE ${which}), 0) / 100)::numeric(30, 2)::text)`;
  const { rows: compared } = await db.execute<CurrencyComparison & { readonly month: string | null }>(sql`
    WITH sums AS (
      SELECT true AS is_listed, coalesce(month, 'no date') AS month, upper(coalesce(currency, '')) AS currency, orders, cents
      FROM ${input}
      UNION ALL
      SELECT false, coalesce(to_char(created_on, 'YYYY-MM'), 'no date'), upper(coalesce(currency, '')), count(*),
        coalesce(sum(order_sum), 0) * 100
      FROM core.orders WHERE ${isCounted(shopId, days, IS_SHOWN)} GROUP BY 2, 3
    ), months AS (
      SELECT month, currency, sum(CASE WHEN is_listed THEN orders ELSE -orders END) = 0
        AND sum(CASE WHEN is_listed THEN cents ELSE -cents END) = 0 AS is_equal
      FROM sums GROUP BY month, currency
    )
    SELECT month, currency, ${figures(sql`is_listed`)} AS shop,
      ${figures(sql`NOT is_listed`)} AS warehouse, bool_and(is_equal) AS is_equal
    FROM sums JOIN months USING (month, currency)
    GROUP BY GROUPING SETS ((month, currency), (currency))
    ORDER BY month COLLATE "C", currency COLLATE "C"`);
  return {
    months: compared.flatMap(({ month, ...sums }) => (month === null ? [] : [{ month, ...sums }])),
    currencies: compared.flatMap(({ month, ...sums }): CurrencyComparison[] =>
      month === null ? [sums] : [],
    ),
  };
}

/** Whether a key of a list's element is the number of an order: any other may show a person. */
const isOrderNumber = (key: string) => /^\d+$/.test(key);

/**
 * Orders that the views show and a list does not, with their days, and since when they are marked as missing. PostgreSQL compares, so
 * that a million listed orders never are rows in the memory of this process.
 *
 * @param listed keys of all elements of the list
 */
export async function readUnlisted(
  db: Db,
  shopId: number,
  listed: ReadonlySet<string>,
  days: CountedDays,
): Promise<readonly UnlistedOrder[]> {
  const ids = [...listed].filter(isOrderNumber).join(',');
  // An array is hashed, whatever the table's statistics say; a join may be planned for a table that seems to be empty.
  const { rows } = await db.execute<UnlistedOrder>(sql`
    SELECT order_id AS "orderId", created_on::text AS day, missing_since AS "missingSince" FROM core.orders
    WHERE ${isCounted(shopId, days, IS_SHOWN)}
      AND order_id::text <> ALL (${`{${ids}}`}::text[])`);
  return rows;
}

type UnlistedOrder = {
  readonly orderId: string;
  readonly day: string | null;
  readonly missingSince: Temporal.Instant | null;
};

/** Orders that the views show whose day is not verified, in the future, or unknown. */
export async function countOutsideLedger(db: Db, shopId: number) {
  const counted = sql`
    SELECT count(*)::int AS orders, count(*) FILTER (WHERE o.created_on IS NULL)::int AS undated
    FROM core.orders o
    JOIN bi.unverified_days u ON u.shop_id = o.shop_id
    WHERE o.shop_id = ${shopId} AND ${IS_SHOWN}
      AND (u.days @> o.created_on OR o.created_on > u.last_day) IS NOT FALSE`;
  return oneRow<{ orders: number; undated: number }>(db, counted);
}

/** Days whose number of stored live orders differs from the expected one. */
export async function findMiscounted(
  tx: Tx,
  shopId: number,
  input: readonly { readonly day: string; readonly orders: number }[],
): Promise<readonly string[]> {
  if (input.length === 0) return [];
  const { rows } = await tx.execute<{ day: string }>(sql`
    SELECT input.day::text AS day FROM ${recordset({ day: 'date', orders: 'int' }, input)}
    WHERE input.orders <> (
      SELECT count(*) FROM core.orders
      WHERE shop_id = ${shopId} AND created_local >= input.day AND created_local < input.day + 1 AND ${IS_LIVE})`);
  return rows.map(({ day }) => day);
}

/** Whether live orders are stored without their persons, who may be stored. */
export async function hasPseudonymized(db: Db, shopId: number): Promise<boolean> {
  const { rows } = await db.execute(sql`
    SELECT 1 FROM core.orders WHERE shop_id = ${shopId} AND fingerprint LIKE 'p:%' AND ${IS_LIVE} LIMIT 1`);
  return rows.length > 0;
}

const ALL_DAYS: CountedDays = { from: undefined, to: undefined };

export async function countLiveOrders(db: Db, shopId: number, days = ALL_DAYS): Promise<number> {
  const counted = sql`SELECT count(*)::int AS orders FROM core.orders WHERE ${isCounted(shopId, days)}`;
  return (await oneRow<{ orders: number }>(db, counted)).orders;
}

const STEPS = sql.raw(`'{${SUM_STEPS.join(',')}}'::numeric[]`);

/**
 * What counts are compared with, as the table `counted`: an `orders` of 1 for each live order, which an index holds, and of -1 for
 * those that their day's list no longer shows though the shop serves them. It may list these on another day, and counts them there.
 */
function listedOrders(shopId: number, days: CountedDays): SQL {
  const columns = sql`created_on, status_code, pay_status_code, order_sum`;
  const live = isCounted(shopId, days);
  return sql`(
    SELECT ${columns}, 1 AS orders FROM core.orders WHERE ${live}
    UNION ALL
    SELECT ${columns}, -1 FROM core.orders WHERE ${live} AND order_id = ANY (ARRAY(
      SELECT key::bigint FROM ops.due WHERE shop_id = ${shopId} AND kind = 'missing'))) AS counted`;
}

/** Listed orders grouped by all that facets filter by, in one statement. */
export async function countOrdersByFacet(
  db: Db,
  shopId: number,
  days: CountedDays,
): Promise<readonly OrderCount[]> {
  const { rows } = await db.execute<OrderCount>(sql`
    SELECT status_code AS status, pay_status_code AS "payStatus", width_bucket(coalesce(order_sum, 0), ${STEPS}) AS steps,
      sum(orders)::int AS orders
    FROM ${listedOrders(shopId, days)}
    GROUP BY 1, 2, 3`);
  return rows;
}

/** Listed orders that a facet finds, by the shop's day; days without any are left out. */
export async function countOrdersByDay(db: Db, shopId: number, days: CountedDays, facet: Facet) {
  const { rows } = await db.execute<{ day: string; orders: number }>(sql`
    SELECT created_on::text AS day, sum(orders)::int AS orders FROM ${listedOrders(shopId, days)}
    WHERE ${isFound(facet)}
    GROUP BY created_on`);
  return new Map(rows.map(({ day, orders }) => [day, orders]));
}

function isFound(facet: Facet): SQL {
  if (facet.by === 'all') return sql`true`;
  if (facet.by === 'summ_from') return sql`order_sum >= ${facet.amount}`;
  return facet.by === 'status' ? sql`status_code = ${facet.code}` : sql`pay_status_code = ${facet.code}`;
}

/** The largest identifiers that the warehouse holds of a shop; 0 where it holds none. */
export async function readLargestIds(db: Db, shopId: number) {
  const largest = sql`
    SELECT (SELECT coalesce(max(order_id), 0)::text FROM core.orders WHERE shop_id = ${shopId}) AS order,
      (SELECT coalesce(max(user_oid), 0)::text FROM core.users WHERE shop_id = ${shopId}) AS user`;
  const { order, user } = await oneRow<{ order: string; user: string }>(db, largest);
  return { order: BigInt(order), user: BigInt(user) };
}
