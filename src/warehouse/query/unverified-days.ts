import type { Client } from 'pg';

/** Neighbouring days, both included; `from` null: all days up to `to`. */
export type DaySpan = { readonly from: string | null; readonly to: string };

/** A shop whose figures are not known to be the shop's on some days; days as `2026-01-31`. */
export type UnverifiedShop = {
  readonly shop: string;
  /** Of the days that were ever to be synchronized; null: none was. */
  readonly first_day: string | null;
  /** Today, in the shop's time zone. */
  readonly last_day: string;
  /** Days without a verdict, or whose verdict does not hold for each order. */
  readonly days: readonly DaySpan[];
  /** These, and days of orders whose lines are not up to date. */
  readonly line_days: readonly DaySpan[];
  /** Orders that may be gone, and when the last of them is looked for once more; null: there are none. */
  readonly missing_orders: number;
  readonly confirmed_at: string | null;
};

const spans = (column: string) => `
  (SELECT coalesce(json_agg(json_build_object('from', lower(span), 'to', coalesce(upper(span) - 1, greatest(lower(span), last_day)))
      ORDER BY span), '[]')
    FROM unnest(${column}) AS span) AS ${column}`;

/** The shops of which some day is not verified, by key, as any role that reads `bi` sees them. */
export async function readUnverified(client: Pick<Client, 'query'>): Promise<readonly UnverifiedShop[]> {
  const { rows } = await client.query<UnverifiedShop>(`
    SELECT shop, first_day::text, last_day::text, ${spans('days')}, ${spans('line_days')},
      missing_orders::int, to_char(confirmed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS confirmed_at
    FROM bi.unverified_days WHERE line_days <> '{}' OR missing_orders > 0 ORDER BY shop`);
  return rows;
}
