/** A copy that reads only rows with a later `changed_at`, as an incremental model does, misses nothing. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { makeShopInProcess } from '../support/in-process-shop.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';

const PRESENT = Temporal.Instant.from('2025-11-16T12:00:00Z');
const ROUNDS = 4;
/** What of an order depends on no other row. */
const OWN = 'order_id, status_code, order_sum, paid_amount, is_deleted, is_missing, lines_total, lines_state';

test('after any edits and deletions an incremental copy equals the orders and their lines', async () => {
  await using simulator = makeShopInProcess({ orders: 80, days: 60, seed: 5, now: PRESENT });
  await using warehouse = await openTestWarehouse();
  const { db } = warehouse;
  const clock = testClock(PRESENT);
  const sweep = async () => {
    await sweepOnce(
      simulator,
      db,
      { kind: 'backfill', force: true },
      {},
      { now: clock.now, through: withoutGroups },
    );
    clock.pass({ minutes: 6 });
  };
  const copied = sql.raw(`${OWN}, changed_at`);
  await sweep();
  await db.execute(sql`CREATE TABLE copy AS SELECT ${copied} FROM bi.orders`);
  await db.execute(
    sql`CREATE TABLE copied_lines AS SELECT order_id, line_no, quantity, line_total FROM bi.order_lines`,
  );
  let read = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const orders = simulator.shop.orders();
    const [removed, ...edited] = orders.filter((_, at) => at % 7 === round);
    for (const { orderId } of edited) simulator.shop.editOrder(orderId);
    if (removed !== undefined) simulator.shop.deleteOrder(removed.orderId);
    simulator.shop.insertOrder();
    for (let sweeps = 0; sweeps <= round % 2; sweeps += 1) await sweep();
    const { rows } = await db.execute<{ order_id: string }>(sql`
      SELECT order_id FROM bi.orders WHERE changed_at > (SELECT max(changed_at) FROM copy)`);
    const changed = sql`(SELECT order_id FROM bi.orders WHERE changed_at > (SELECT max(changed_at) FROM copy))`;
    read += rows.length;
    await db.execute(sql`DELETE FROM copied_lines WHERE order_id IN ${changed}`);
    await db.execute(sql`
      INSERT INTO copied_lines SELECT order_id, line_no, quantity, line_total FROM bi.order_lines WHERE order_id IN ${changed}`);
    await db.execute(sql`
      WITH latest AS MATERIALIZED (SELECT ${copied} FROM bi.orders WHERE order_id IN ${changed}),
      gone AS (DELETE FROM copy WHERE order_id IN (SELECT order_id FROM latest))
      INSERT INTO copy SELECT * FROM latest`);
    expect(await differing(`SELECT ${OWN} FROM`, 'copy', 'bi.orders')).toEqual([]);
    expect(
      await differing(
        'SELECT order_id, line_no, quantity, line_total FROM',
        'copied_lines',
        'bi.order_lines',
      ),
    ).toEqual([]);
  }
  // It is incremental, and there were deletions.
  expect(read).toBeGreaterThan(40);
  expect(read).toBeLessThan(80 * ROUNDS * 0.5);
  const { rows } = await db.execute(sql`SELECT FROM copy WHERE is_deleted`);
  expect(rows.length).toBeGreaterThan(1);

  async function differing(select: string, one: string, other: string) {
    const { rows: found } = await db.execute(
      sql.raw(
        `(${select} ${one} EXCEPT ${select} ${other}) UNION ALL (${select} ${other} EXCEPT ${select} ${one})`,
      ),
    );
    return found;
  }
});
