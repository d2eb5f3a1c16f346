/** Puts orders of the tests straight into the tables. */
import { sql } from 'drizzle-orm';

import type { JsonObject } from '../../../src/model/json.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';
import { GUEST_OID } from '../../../src/model/persons.ts';
import { orderLines, orders } from '../../../src/warehouse/schema/orders.ts';
import { orderStatuses } from '../../../src/warehouse/schema/shops.ts';
import { users } from '../../../src/warehouse/schema/users.ts';
import { registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { addUpLines } from '../../../src/warehouse/orders/load-lines.ts';
import { FIRST_STATE } from '../../support/first-state.ts';

export type Line = {
  readonly product: string | null;
  readonly name: string | null;
  readonly sku: string | null;
  readonly quantity: number | null;
  readonly cents: number | null;
  readonly listCents: number | null;
};

/** A line of one mug for 5.00, but for the given changes. */
export const lineOf = (changes: Partial<Line> = {}): Line => {
  return { product: '7', name: 'Mug', sku: null, quantity: 1, cents: 500, listCents: null, ...changes };
};

export type Order = {
  readonly id: number;
  /** ISO date; null when the shop sent none that could be read. */
  readonly day: string | null;
  readonly status: Status;
  readonly currency: string | null;
  readonly cents: number | null;
  readonly paidCents: number | null;
  readonly items: number | null;
  readonly customer: string;
  readonly isDeleted: boolean;
  readonly isMissing: boolean;
  readonly lines: readonly Line[];
};

type Status = 'C' | 'A' | 'P' | 'F' | 'R' | 'K' | 'U' | '' | '?';

/** In the last hour of the day, and later for a lower id, so that the latest order is not the one with the highest id. */
function createdAt(order: Order): string | null {
  if (order.day === null) return null;
  return Temporal.Instant.from(`${order.day}T23:59:59.999Z`)
    .subtract({ milliseconds: order.id })
    .toString({ smallestUnit: 'millisecond' });
}

let lastId = 0;

/** A sale of 10.00 EUR on 2026-03-01 by the registered buyer 1, but for the given changes. */
export function order(changes: Partial<Order>): Order {
  lastId += 1;
  return {
    id: lastId,
    day: '2026-03-01',
    status: 'C',
    currency: 'EUR',
    cents: 1_000,
    paidCents: 0,
    items: 1,
    customer: 'u:1',
    isDeleted: false,
    isMissing: false,
    lines: [],
    ...changes,
  };
}

const SEEN = Temporal.Instant.from('2026-03-10T00:00:00Z');

/** Registers a shop that also uses the undocumented status `?`, with its orders; returns its `shop_id`. */
export async function loadShop(
  db: Db,
  shopKey: string,
  given: readonly Order[],
  timezone = 'Europe/Berlin',
): Promise<number> {
  const shopId = await registerShop(db, { shopKey, baseUrl: 'https://shop.example', timezone }, FIRST_STATE);
  const unknown = { status_code: '?', name: '?', stage: 'unknown' } as const;
  await db
    .insert(orderStatuses)
    .values({ ...unknown, shop_id: shopId, is_sale: false, is_final: false, is_documented: false });
  await loadOrders(db, shopId, given);
  return shopId;
}

async function loadOrders(db: Db, shopId: number, given: readonly Order[]): Promise<void> {
  if (given.length === 0) return;
  const buyers = new Set(given.flatMap((order) => buyerOf(order) ?? []));
  for (const user_oid of buyers) {
    await db.insert(users).values({ shop_id: shopId, user_oid, fetch_state: 'ok' }).onConflictDoNothing();
  }
  await db.insert(orders).values(given.map((order) => orderRecord(shopId, order)));
  // Each test says what was before.
  await db.execute(sql`DELETE FROM core.order_history WHERE shop_id = ${shopId}`);
  const lines = given.flatMap((order) => order.lines.map((line, at) => lineRecord(shopId, order, line, at)));
  if (lines.length > 0) await db.insert(orderLines).values(lines);
}

const buyerOf = (order: Order) => /^u:(\d+)$/.exec(order.customer)?.[1];
const amount = (cents: number | null) => (cents === null ? null : (cents / 100).toFixed(2));

function orderRecord(shopId: number, order: Order): typeof orders.$inferInsert {
  const [buyer, created] = [buyerOf(order), createdAt(order)];
  return {
    shop_id: shopId,
    order_id: String(order.id),
    status_code: order.status,
    pay_status_code: 'S',
    buyer_oid: buyer ?? GUEST_OID,
    is_guest: buyer === undefined,
    customer_key: order.customer,
    created_on: order.day,
    created_local: created?.replace('Z', '') ?? null,
    created_at: created === null ? null : Temporal.Instant.from(created),
    currency: order.currency,
    order_sum: amount(order.cents),
    paid_amount: amount(order.paidCents),
    item_count: order.items?.toString() ?? null,
    fingerprint: 'none',
    lines_state: 'ok',
    first_seen_at: SEEN,
    observed_at: SEEN,
    missing_since: order.isMissing || order.isDeleted ? SEEN : null,
    deleted_at: order.isDeleted ? SEEN : null,
    ...addUpLines(order.lines.map((line, at) => lineRecord(shopId, order, line, at))),
  };
}

function lineRecord(shopId: number, order: Order, line: Line, at: number): typeof orderLines.$inferInsert {
  return {
    shop_id: shopId,
    order_id: String(order.id),
    line_no: at + 1,
    product_oid: line.product,
    product_name: line.name,
    sku: line.sku,
    quantity: line.quantity === null ? null : line.quantity.toFixed(3),
    line_total: amount(line.cents),
    list_total: amount(line.listCents),
  };
}

/** Enters extra fields into orders of a shop, as `{key: {value, name, label}}`. @param orderId undefined: into all */
export async function enterFields(
  db: Db,
  shopId: number,
  fields: JsonObject,
  orderId?: number,
): Promise<void> {
  await db.execute(sql`
    INSERT INTO core.order_persons (shop_id, order_id, fields)
    SELECT shop_id, order_id, ${JSON.stringify(fields)}::jsonb FROM core.orders
    WHERE shop_id = ${shopId} AND (order_id = ${orderId ?? null} OR ${orderId === undefined})
    ON CONFLICT (shop_id, order_id) DO UPDATE SET fields = excluded.fields`);
}
