import { sql } from 'drizzle-orm';

import type { Cleared } from '../../cleared.ts';
import type { JsonObject } from '../../json.ts';
import type { Tx } from '../db/database.ts';
import { recordset } from '../db/upsert.ts';
import { type RewrittenOrder, rewriteOrders } from './rewrite-orders.ts';

/** A stored order of which something personal was removed. */
export type ScrubbedOrder = {
  readonly orderId: string;
  /** Undefined where no row can be made of it. */
  readonly order: RewrittenOrder | undefined;
  /** Undefined: as stored. */
  readonly payload: Cleared<JsonObject> | undefined;
  readonly content: Cleared<JsonObject> | undefined;
  /** What later list rows are compared with; undefined: as stored. */
  readonly fingerprint: string | undefined;
};

const PAYLOADS = [
  { name: 'order_id', type: 'bigint' },
  { name: 'payload', type: 'jsonb' },
];
const FINGERPRINTS = [
  { name: 'order_id', type: 'bigint' },
  { name: 'fingerprint', type: 'text' },
];

/** Rows changed, by table. */
export type ScrubbedOrderCounts = Readonly<
  Record<'core.orders' | 'core.order_lines' | 'raw.orders' | 'raw.order_contents', number>
>;

/** Writes orders and payloads from which something personal was removed. What the shop did is not changed. */
export async function rewriteScrubbed(
  tx: Tx,
  shopId: number,
  scrubbed: readonly ScrubbedOrder[],
): Promise<ScrubbedOrderCounts> {
  const { changed, lines } = await rewriteOrders(
    tx,
    shopId,
    scrubbed.flatMap(({ order }) => order ?? []),
  );
  const prints = scrubbed.flatMap(({ orderId, fingerprint }) =>
    fingerprint === undefined ? [] : [{ order_id: orderId, fingerprint }],
  );
  await tx.execute(sql`
    UPDATE core.orders o SET fingerprint = given.fingerprint FROM ${recordset(FINGERPRINTS, prints)}
    WHERE o.shop_id = ${shopId} AND o.order_id = given.order_id`);
  const payloads = (kind: 'payload' | 'content') =>
    scrubbed.flatMap(({ orderId, [kind]: payload }) =>
      payload === undefined ? [] : [{ order_id: orderId, payload }],
    );
  return {
    'core.orders': changed,
    'core.order_lines': lines,
    'raw.orders': await rewritePayloads(tx, 'orders', shopId, payloads('payload')),
    'raw.order_contents': await rewritePayloads(tx, 'order_contents', shopId, payloads('content')),
  };
}

/** Their times stay: they are those of the shop's answers. */
export async function rewritePayloads(
  tx: Tx,
  table: 'orders' | 'order_contents',
  shopId: number,
  payloads: readonly { readonly order_id: string; readonly payload: Cleared<JsonObject> }[],
): Promise<number> {
  if (payloads.length === 0) return 0;
  const { rowCount } = await tx.execute(sql`
    UPDATE ${sql.raw(`raw.${table}`)} r SET payload = given.payload FROM ${recordset(PAYLOADS, payloads, 'escaped')}
    WHERE r.shop_id = ${shopId} AND r.order_id = given.order_id`);
  return rowCount ?? 0;
}
