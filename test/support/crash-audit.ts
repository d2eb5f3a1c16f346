/** What must hold of a warehouse at any moment, whoever was killed; checked by SQL that shares nothing with the sync. */
import type { Client } from 'pg';

import type { SimulatedShop } from '../../src/simulator/shop/simulated-shop.ts';
import { type Facts, heldFacts, trueFacts } from './truth.ts';

/** Every state that orders of a shop have had since the warehouse last equalled it. */
export class OrderStates {
  readonly #headers = new Set<string>();
  readonly #lines = new Set<string>();
  readonly #whole = new Set<string>();

  constructor(shop: SimulatedShop) {
    this.add(shop);
  }

  add(shop: SimulatedShop): void {
    for (const [id, { header, lines }] of trueFacts(shop)) {
      this.#headers.add(`${id} ${header}`);
      this.#lines.add(`${id} ${lines}`);
      this.#whole.add(`${id} ${header} ${lines}`);
    }
  }

  /** Header and lines of one and the same moment; without its lines where those could not be had. */
  has(id: string, { header, lines, isFetched }: Facts): boolean {
    if (isFetched) return this.#whole.has(`${id} ${header} ${lines}`);
    return this.#headers.has(`${id} ${header}`) && (lines === '' || this.#lines.has(`${id} ${lines}`));
  }
}

export type Audit = {
  readonly verifiedDays: readonly string[];
  /** Orders held that are neither missing nor deleted. */
  readonly orders: number;
  /** What must not be, a line each. */
  readonly faults: readonly string[];
};

/** Compares one snapshot of the warehouse with the shop as it is now, and with the states that it had. */
export async function audit(client: Client, shop: SimulatedShop, states: OrderStates): Promise<Audit> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows: days } = await client.query<HeldDay>(DAYS);
  const held = await heldFacts(client);
  const { rows: history } = await client.query<{ fault: string }>(HISTORY_FAULTS);
  await client.query('COMMIT');
  const torn = [...held].filter(([id, facts]) => !states.has(id, facts));
  return {
    verifiedDays: days.map(({ day }) => day),
    orders: held.size,
    faults: [
      ...torn.map(
        ([id, { isFetched }]) => `order ${id} is in no state it ever had (lines read: ${isFetched})`,
      ),
      ...dayFaults(days, held, trueFacts(shop)),
      ...history.map(({ fault }) => fault),
    ],
  };
}

type HeldDay = { readonly day: string; readonly orders_seen: number | null };

const DAYS = 'SELECT day::text, orders_seen FROM tested.days WHERE verified_at IS NOT NULL ORDER BY day';

function dayFaults(
  days: readonly HeldDay[],
  held: ReadonlyMap<string, Facts>,
  truth: ReadonlyMap<string, Facts>,
): readonly string[] {
  return days.flatMap(({ day, orders_seen }) => {
    const ofDay = (facts: ReadonlyMap<string, Facts>) => [...facts].filter(([, order]) => order.day === day);
    const [expected, found] = [ofDay(truth), ofDay(held)];
    const lost = expected.filter(([id, { header }]) => held.get(id)?.header !== header).length;
    const isSame = lost === 0 && found.length === expected.length && orders_seen === expected.length;
    if (isSame) return [];
    const counts = `${expected.length} orders in the shop, ${orders_seen} in the ledger, ${found.length} held`;
    return [`day ${day} counts as verified: ${counts}, ${lost} of them lost or outdated`];
  });
}

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
