/** What the warehouse says of a shop's days, and what it must never say. */
import type { Client } from 'pg';

import { keyOf } from './oracle.ts';

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
