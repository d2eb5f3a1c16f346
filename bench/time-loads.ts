/** What the marks cost a load: orders with two lines each, loaded as a sweep does it, with the triggers and without. */
import type { Client } from 'pg';

import type { Db } from '../src/warehouse/db/database.ts';
import { loadOrders } from '../src/warehouse/orders/load-orders.ts';
import { orderToLoad } from '../test/support/rows.ts';

export type LoadTimes = {
  readonly orders: number;
  /** Orders per second, of the best round. */
  readonly withMarks: number;
  readonly withoutMarks: number;
};

const ROUNDS = 5;
const PER_ROUND = 2_000;
/** As many as a sweep writes in one transaction, and as many at once. */
const PER_TRANSACTION = 100;
const AT_ONCE = 4;
const TABLES = ['core.orders', 'core.order_lines', 'core.order_history', 'core.order_statuses'];

/** Rounds of both kinds by turns, so that what else the machine does falls upon both. */
export async function timeLoads(client: Client, db: Db, shopId: number, firstId: number): Promise<LoadTimes> {
  const seconds = { enabled: Infinity, disabled: Infinity };
  let next = firstId;
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const marks = round % 2 === 0 ? 'enabled' : 'disabled';
    for (const table of TABLES) {
      await client.query(`ALTER TABLE ${table} ${marks === 'enabled' ? 'ENABLE' : 'DISABLE'} TRIGGER USER`);
    }
    const began = performance.now();
    await loadRound(db, shopId, next);
    seconds[marks] = Math.min(seconds[marks], (performance.now() - began) / 1_000);
    next += PER_ROUND;
  }
  for (const table of TABLES) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  return {
    orders: 2 * ROUNDS * PER_ROUND,
    withMarks: PER_ROUND / seconds.enabled,
    withoutMarks: PER_ROUND / seconds.disabled,
  };
}

async function loadRound(db: Db, shopId: number, firstId: number): Promise<void> {
  const transactions = Array.from(
    { length: PER_ROUND / PER_TRANSACTION },
    (_, at) => firstId + at * PER_TRANSACTION,
  );
  const loader = async () => {
    for (let first = transactions.shift(); first !== undefined; first = transactions.shift()) {
      const orders = Array.from({ length: PER_TRANSACTION }, (_, at) => orderOf(first + at));
      await db.transaction((tx) => loadOrders(tx, shopId, orders));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loader));
}

/** Of twenty days a round, and of customers who mostly buy once. */
function orderOf(id: number) {
  const day = `2026-01-${String(1 + (Math.floor(id / PER_TRANSACTION) % 28)).padStart(2, '0')}`;
  const buyer = String(1_001 + (id % 100_000));
  const row = { created_on: day, created_local: `${day}T09:05:00`, created_at: `${day}T08:05:00Z` };
  return orderToLoad(String(id), { row: { ...row, buyer_oid: buyer, customer_key: `u:${buyer}` } });
}
