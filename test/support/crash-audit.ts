/** What must hold of a warehouse at any moment, whoever was killed; checked by SQL that shares nothing with the sync. */
import type { Client } from 'pg';

import type { SimulatedShop } from '../../src/simulator/shop/simulated-shop.ts';
import type { SimOrder } from '../../src/simulator/shop/sim-order.ts';

/** Every state that orders of a shop have had since the warehouse last equalled it. */
export class OrderStates {
  readonly #headers = new Set<string>();
  readonly #lines = new Set<string>();
  readonly #whole = new Set<string>();

  constructor(shop: SimulatedShop) {
    this.add(shop);
  }

  add(shop: SimulatedShop): void {
    for (const order of shop.orders()) {
      const [id, header, lines] = [order.orderId, trueHeader(order), trueLines(order)];
      this.#headers.add(`${id} ${header}`);
      this.#lines.add(`${id} ${lines}`);
      this.#whole.add(`${id} ${header} ${lines}`);
    }
  }

  /** Header and lines of one and the same moment; without its lines where those could not be had. */
  has({ id, header, lines, lines_state }: HeldOrder): boolean {
    if (lines_state === 'ok') return this.#whole.has(`${id} ${header} ${lines}`);
    return this.#headers.has(`${id} ${header}`) && (lines === '[]' || this.#lines.has(`${id} ${lines}`));
  }
}

export type Audit = {
  readonly verifiedDays: readonly string[];
  /** Orders held, deleted ones included. */
  readonly orders: number;
  /** What must not be, a line each. */
  readonly faults: readonly string[];
};

/** Compares one snapshot of the warehouse with the shop as it is now, and with the states that it had. */
export async function audit(client: Client, shop: SimulatedShop, states: OrderStates): Promise<Audit> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows: days } = await client.query<HeldDay>(DAYS);
  const { rows } = await client.query<HeldOrder>(ORDERS);
  const { rows: history } = await client.query<{ fault: string }>(HISTORY_FAULTS);
  await client.query('COMMIT');
  const text = JSON.stringify;
  const orders = rows.map((row): HeldOrder => ({ ...row, header: text(row.header), lines: text(row.lines) }));
  const live = orders.filter((order) => order.is_live);
  const torn = live.filter((order) => !states.has(order));
  return {
    verifiedDays: days.map(({ day }) => day),
    orders: orders.length,
    faults: [
      ...torn.map(({ id, lines_state }) => `order ${id} is in no state it ever had (lines ${lines_state})`),
      ...dayFaults(days, live, shop),
      ...history.map(({ fault }) => fault),
    ],
  };
}

type HeldDay = { readonly day: string; readonly orders_seen: number | null };
type HeldOrder = {
  readonly id: string;
  readonly day: string | null;
  readonly is_live: boolean;
  readonly lines_state: string;
  readonly header: string;
  readonly lines: string;
};

function dayFaults(
  days: readonly HeldDay[],
  live: readonly HeldOrder[],
  shop: SimulatedShop,
): readonly string[] {
  const held = Map.groupBy(live, ({ day }) => day);
  const truth = Map.groupBy(shop.orders(), ({ createdLocal }) => createdLocal.toPlainDate().toString());
  return days.flatMap(({ day, orders_seen }) => {
    const expected = (truth.get(day) ?? []).map((order) => `${order.orderId} ${trueHeader(order)}`);
    const found = new Set((held.get(day) ?? []).map(({ id, header }) => `${id} ${header}`));
    const lost = expected.filter((order) => !found.has(order)).length;
    const isSame = lost === 0 && found.size === expected.length && orders_seen === expected.length;
    if (isSame) return [];
    const counts = `${expected.length} orders in the shop, ${orders_seen} in the ledger, ${found.size} held`;
    return [`day ${day} counts as verified: ${counts}, ${lost} of them lost or outdated`];
  });
}

const money = (cents: number) => (cents / 100).toFixed(2);

function trueHeader(order: SimOrder): string {
  return JSON.stringify([
    order.status,
    order.payStatus,
    money(order.sumCents),
    money(order.paidCents),
    money(order.deliveryPriceCents),
    order.currency,
    String(order.itemCount),
    order.createdLocal.toString().slice(0, 16),
    order.updatedLocal.toString({ smallestUnit: 'second' }),
    String(order.buyerOid),
  ]);
}

function trueLines(order: SimOrder): string {
  return JSON.stringify(
    order.lines.map((line) => [
      line.oid,
      `${line.quantity}`,
      money(line.unitPriceCents),
      money(line.totalCents),
    ]),
  );
}

const DAYS = 'SELECT day::text, orders_seen FROM tested.days WHERE verified_at IS NOT NULL ORDER BY day';

const ORDERS = `
  SELECT o.order_id::text AS id, o.created_on::text AS day, o.lines_state,
    o.missing_since IS NULL AND o.deleted_at IS NULL AS is_live,
    jsonb_build_array(o.status_code, o.pay_status_code, o.order_sum::text, o.paid_amount::text,
      o.delivery_price::text, o.currency, trim_scale(o.item_count)::text, to_char(o.created_local, 'YYYY-MM-DD"T"HH24:MI'),
      to_char(o.updated_local, 'YYYY-MM-DD"T"HH24:MI:SS'), o.buyer_oid::text) AS header,
    coalesce((
      SELECT jsonb_agg(jsonb_build_array(l.line_oid, trim_scale(l.quantity)::text, l.unit_price::text, l.line_total::text)
        ORDER BY l.line_no)
      FROM tested.order_lines l WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id), '[]') AS lines
  FROM tested.orders o`;

/** Each order has a history without gaps, whose one open entry is the state that is held; and the row it came from. */
const HISTORY_FAULTS = `
  SELECT format('order %s has %s history entries up to number %s, %s open, %s of them as it is held; %s raw rows',
    o.order_id, h.entries, h.last_seq, h.open, h.current, r.raw_rows) AS fault
  FROM tested.orders o
  CROSS JOIN LATERAL (
    SELECT count(*) AS entries, max(seq) AS last_seq, count(*) FILTER (WHERE observed_until IS NULL) AS open,
      count(*) FILTER (WHERE observed_until IS NULL
        AND (h.status_code, h.pay_status_code, h.order_sum, h.paid_amount)
          IS NOT DISTINCT FROM (o.status_code, o.pay_status_code, o.order_sum, o.paid_amount)) AS current
    FROM tested.order_history h WHERE h.shop_id = o.shop_id AND h.order_id = o.order_id) AS h
  CROSS JOIN LATERAL (
    SELECT count(*) AS raw_rows FROM tested.raw_orders r WHERE r.shop_id = o.shop_id AND r.order_id = o.order_id) AS r
  WHERE NOT (h.entries >= 1 AND h.last_seq = h.entries AND h.open = 1 AND h.current = 1 AND r.raw_rows = 1)`;
