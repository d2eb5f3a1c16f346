/** What the warehouse says of a shop's days, and what it must never say. */
import type { Client } from 'pg';

import { keyOf, type ShownDay } from './oracle.ts';

export type LedgerDay = { readonly verifiedAt: string; readonly orders: ReadonlySet<string> };

/** The verified days, each with its orders that count as the shop's. */
export async function readLedger(client: Client, shopKey: string): Promise<ReadonlyMap<string, LedgerDay>> {
  type Order = { readonly id: string; readonly status: string; readonly updated: string };
  const { rows } = await client.query<{ day: string; verified_at: string; orders: readonly Order[] }>(
    `SELECT d.day::text, d.verified_at::text,
       ARRAY(SELECT json_build_object('id', o.order_id::text, 'status', o.status_code,
           'updated', to_char(o.updated_local, 'YYYY-MM-DD"T"HH24:MI:SS'))
         FROM core.orders o WHERE o.shop_id = d.shop_id AND o.created_local >= d.day
         AND o.created_local < d.day + 1 AND o.missing_since IS NULL AND o.deleted_at IS NULL) AS orders
     FROM ops.days d JOIN core.shops s USING (shop_id) WHERE s.shop_key = $1 AND d.verified_at IS NOT NULL
     ORDER BY d.day`,
    [shopKey],
  );
  return new Map(
    rows.map(({ day, verified_at, orders }) => {
      const keys = orders.map(({ id, status, updated }) => keyOf(id, status, updated));
      return [day, { verifiedAt: verified_at, orders: new Set(keys) }] as const;
    }),
  );
}

/**
 * What `bi` shows of each day up to today, with the verification that stands for it; undefined where a query would be told
 * that some of these days are not verified.
 */
export async function readWarranted(
  client: Client,
  shopKey: string,
  today: string,
): Promise<readonly ShownDay[] | undefined> {
  const { rowCount } = await client.query(
    // To the view, today of the life is long over, and nothing was swept since: of today the tables tell.
    `SELECT FROM bi.unverified_days u
     WHERE shop = $1 AND (days && daterange(NULL, $2, '[)')
       OR NOT EXISTS (SELECT FROM ops.days d WHERE d.shop_id = u.shop_id AND day >= $2 AND verified_at IS NOT NULL)
       OR EXISTS (SELECT FROM core.orders o WHERE o.shop_id = u.shop_id AND created_on >= $2
         AND missing_since IS NOT NULL AND deleted_at IS NULL))`,
    [shopKey, today],
  );
  if (rowCount !== 0) return undefined;
  type Shown = {
    day: string;
    verified_at: string;
    orders: readonly Readonly<Record<'id' | 'status' | 'updated', string>>[];
  };
  const shown = await client.query<Shown>(
    `SELECT v.day::text, (SELECT d.verified_at::text FROM ops.days d WHERE d.shop_id = s.shop_id AND d.day >= v.day
         ORDER BY d.day LIMIT 1) AS verified_at,
       (SELECT coalesce(json_agg(json_build_object('id', o.order_id::text, 'status', o.status_code,
           'updated', to_char(c.updated_local, 'YYYY-MM-DD"T"HH24:MI:SS'))), '[]')
         FROM bi.orders o JOIN core.orders c USING (shop_id, order_id)
         WHERE o.shop_id = s.shop_id AND o.order_date = v.day AND NOT o.is_deleted) AS orders
     FROM core.shops s CROSS JOIN LATERAL (
       SELECT created_on AS day FROM core.orders WHERE shop_id = s.shop_id AND created_on <= $2
       UNION SELECT day FROM ops.days WHERE shop_id = s.shop_id AND day <= $2) v
     WHERE s.shop_key = $1`,
    [shopKey, today],
  );
  return shown.rows.map(({ day, verified_at, orders }) => {
    const keys = orders.map(({ id, status, updated }) => keyOf(id, status, updated));
    return { day, verifiedAt: verified_at, orders: new Set(keys) };
  });
}

/** @param isInShop whether the shop holds an order now */
export async function contradictions(
  client: Client,
  shopKey: string,
  isInShop: (orderId: string) => boolean,
): Promise<readonly string[]> {
  const { rows: marked } = await client.query<{ order_id: string }>(
    `SELECT o.order_id::text FROM core.orders o JOIN core.shops s USING (shop_id)
     WHERE s.shop_key = $1 AND (o.missing_since IS NOT NULL OR o.deleted_at IS NOT NULL)`,
    [shopKey],
  );
  const { rows: days } = await client.query<{ day: string }>(
    `SELECT d.day::text FROM ops.days d JOIN core.shops s USING (shop_id)
     WHERE s.shop_key = $1 AND d.verified_at IS NOT NULL AND d.last_error IS NOT NULL`,
    [shopKey],
  );
  const wrong = marked.filter(({ order_id }) => isInShop(order_id));
  return [
    ...wrong.map(({ order_id }) => `order ${order_id} is marked, but in the shop`),
    ...days.map(({ day }) => `${day} counts as verified, though the last attempt failed`),
  ];
}

/** Days that are still to be read. */
export async function unverifiedDays(client: Client, shopKey: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ day: string; last_error: string | null }>(
    `SELECT d.day::text, d.last_error FROM ops.days d JOIN core.shops s USING (shop_id)
     WHERE s.shop_key = $1 AND d.verified_at IS NULL ORDER BY d.day`,
    [shopKey],
  );
  return rows.map(({ day, last_error }) => `${day} is not verified: ${last_error}`);
}
