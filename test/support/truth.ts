/** Compares a warehouse with the true state of a simulated shop, by a path that shares no code with the sync. */
import type { Client } from 'pg';

import type { SimulatedShop } from '../../src/simulator/shop.ts';

type Facts = readonly string[];

/** What differs, a line each: orders lost, orders too many, and orders whose header or lines differ. */
export async function differences(client: Client, shop: SimulatedShop): Promise<readonly string[]> {
  const [held, truth] = [await heldFacts(client), trueFacts(shop)];
  const lost = [...truth.keys()].filter((id) => !held.has(id)).map((id) => `order ${id} is lost`);
  const ghosts = [...held.keys()].filter((id) => !truth.has(id)).map((id) => `order ${id} is a ghost`);
  const changed = [...truth].flatMap(([id, facts]) => {
    const stored = held.get(id);
    if (stored === undefined || stored.join('|') === facts.join('|')) return [];
    return [`order ${id}: the shop has ${facts.join('|')}, the warehouse ${stored.join('|')}`];
  });
  return [...lost, ...ghosts, ...changed];
}

const decimal = (cents: number) => (cents / 100).toFixed(2);

function trueFacts(shop: SimulatedShop): Map<string, Facts> {
  return new Map(
    shop
      .orders()
      .map((order) => [
        String(order.orderId),
        [
          order.status,
          order.payStatus,
          decimal(order.sumCents),
          decimal(order.paidCents),
          decimal(order.deliveryPriceCents),
          order.currency,
          order.createdLocal.toString().slice(0, 16),
          order.updatedLocal.toString({ smallestUnit: 'second' }),
          String(order.buyerOid),
          String(order.lines.length),
          ...order.lines.map((line) => `${line.oid}*${line.quantity}=${decimal(line.totalCents)}`),
        ],
      ]),
  );
}

type HeldRow = { order_id: string; header: readonly string[]; lines: readonly string[] };

async function heldFacts(client: Client): Promise<Map<string, Facts>> {
  const { rows } = await client.query<HeldRow>(`
    SELECT o.order_id::text,
      json_build_array(o.status_code, o.pay_status_code, o.order_sum::text, o.paid_amount::text, o.delivery_price::text,
        o.currency, to_char(o.created_local, 'YYYY-MM-DD"T"HH24:MI'), to_char(o.updated_local, 'YYYY-MM-DD"T"HH24:MI:SS'),
        o.buyer_oid::text, count(l.line_no)::text) AS header,
      coalesce(json_agg(l.line_oid || '*' || trim_scale(l.quantity) || '=' || l.line_total ORDER BY l.line_no)
        FILTER (WHERE l.line_no IS NOT NULL), '[]') AS lines
    FROM core.orders o LEFT JOIN core.order_lines l USING (shop_id, order_id)
    WHERE o.missing_since IS NULL AND o.deleted_at IS NULL
    GROUP BY o.shop_id, o.order_id`);
  return new Map(rows.map((row) => [row.order_id, [...row.header, ...row.lines]]));
}

/** A digest of every row version in core: it changes when any row is written, even with equal values. */
export async function coreVersions(client: Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'core' ORDER BY 1`,
  );
  const digests: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ digest: string | null; count: string }>(
      `SELECT md5(string_agg(ctid::text || xmin::text, ',' ORDER BY ctid)) AS digest, count(*) AS count FROM ${name}`,
    );
    digests.push(`${name} ${rows[0]?.count} ${rows[0]?.digest}`);
  }
  return digests.join('\n');
}
