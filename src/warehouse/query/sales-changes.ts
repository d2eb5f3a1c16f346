import type { Database } from '../db/database.ts';
import { TRANSACTION_SETTINGS } from '../db/session.ts';
import { takeRole } from './reader-function.ts';

/** Figures of `bi.daily_sales` that are sums over orders. */
export const FIGURE_NAMES = [
  'orders',
  'revenue',
  'paid_amount',
  'items',
  'cancelled_orders',
  'returned_orders',
  'draft_orders',
  'other_orders',
] as const;
type FigureName = (typeof FIGURE_NAMES)[number];
type MoneyName = 'revenue' | 'paid_amount';
const isMoney = (name: FigureName) => name === 'revenue' || name === 'paid_amount';

/** Counts as numbers, amounts as text with two decimals. */
export type Figures = Readonly<Record<Exclude<FigureName, MoneyName>, number> & Record<MoneyName, string>>;

export type ShopChanges = {
  readonly shop: string;
  /** Since when the past is recorded; null: it is not, as on a Citus. */
  readonly versionsSince: string | null;
  /** Null: it is not known what was said at that time. */
  readonly past: {
    /** What the report said at the time, and says now; none: it said nothing and says nothing. */
    readonly currencies: readonly {
      readonly currency: string | null;
      readonly was: Figures;
      readonly now: Figures;
      readonly change: Figures;
    }[];
    /** What each order adds or takes away, the largest amount first; the cause as `bi.daily_sales_changes` names it. */
    readonly orders: readonly (Figures & {
      readonly order_id: string;
      readonly currency: string | null;
      readonly cause: string;
    })[];
  } | null;
};

/** A JSON object of all figures. @param value of a figure, as SQL */
function figures(value: (name: FigureName) => string): string {
  const parts = FIGURE_NAMES.map(
    (name) => `'${name}', (${value(name)})::${isMoney(name) ? 'numeric(16, 2)::text' : 'bigint'}`,
  );
  return `jsonb_build_object(${parts.join(', ')})`;
}

const COLUMNS = `shop_id, currency, ${FIGURE_NAMES.join(', ')}`;
const change = (name: FigureName) => `coalesce(sum(${name}) FILTER (WHERE is_change), 0)`;
const now = (name: FigureName) => `coalesce(sum(${name}) FILTER (WHERE NOT is_change), 0)`;

/** One row per shop. The changes add up to the difference: what was said is what is said now, less the changes. */
const CHANGES = `
  WITH changes AS MATERIALIZED (
    SELECT c.* FROM bi.daily_sales_changes($1, $2) c
  ), currencies AS (
    SELECT shop_id, currency, ${figures((name) => `${now(name)} - ${change(name)}`)} AS was, ${figures(now)} AS now,
      ${figures(change)} AS change
    FROM (
      SELECT ${COLUMNS}, false AS is_change FROM bi.daily_sales WHERE order_date = $1 AND shop_id = ANY ($3)
      UNION ALL SELECT ${COLUMNS}, true FROM changes
    ) parts
    GROUP BY shop_id, currency
  )
  SELECT
    s.shop,
    to_json(s.versions_since) #>> '{}' AS "versionsSince",
    CASE WHEN s.versions_since <= $2 THEN jsonb_build_object(
      'currencies', (
        SELECT coalesce(jsonb_agg(to_jsonb(c) - 'shop_id' ORDER BY c.currency), '[]') FROM currencies c WHERE c.shop_id = s.shop_id),
      'orders', (
        SELECT coalesce(jsonb_agg(
          jsonb_build_object('order_id', c.order_id::text, 'currency', c.currency, 'cause', c.cause) || ${figures((name) => `c.${name}`)}
          ORDER BY abs(c.revenue) DESC, c.order_id, c.currency), '[]')
        FROM changes c WHERE c.shop_id = s.shop_id)) END AS past
  FROM bi.shops s WHERE s.shop_id = ANY ($3) ORDER BY s.shop`;

/**
 * What makes the difference between what `bi.daily_sales` said of a day at some time and says now.
 *
 * @returns of each shop, by key
 */
export async function readSalesChanges(
  database: Pick<Database, 'connect'>,
  asked: { readonly day: string; readonly since: string; readonly shopIds: readonly number[] },
): Promise<readonly ShopChanges[]> {
  const client = await database.connect();
  try {
    await client.query(`BEGIN READ ONLY; ${TRANSACTION_SETTINGS}`);
    await takeRole(client, 'bi_reader');
    const { rows } = await client.query<ShopChanges>(CHANGES, [asked.day, asked.since, asked.shopIds]);
    return rows;
  } finally {
    await client.end();
  }
}
