/** The life of a backfill that is killed, and what must be so after its death. */
import { expect } from 'vitest';

import type { SimOrder } from '../../src/simulator/shop/sim-order.ts';
import type { Random } from '../../src/simulator/shop/random.ts';
import type { Outcome } from './command-line.ts';
import { type Audit, audit, type OrderStates } from './crash-audit.ts';
import { type Lab, LAST_DAY, openLab, verdicts } from './crash-lab.ts';
import { kill, type Point } from './kill.ts';
import { differences } from './truth.ts';

/** Its orders take more pages than a window may. */
export const SMALL_SHOP = { orders: 60, days: 14, pageLimit: 6, seed: 21 } as const;

/** Lets one process end well, since it leaves the compiled code behind for all others: one that is killed saves none. */
export async function warmUp(): Promise<void> {
  await using lab = await openLab({ ...SMALL_SHOP, orders: 1 });
  const outcome = await lab.backfill().outcome;
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
}

/** Runs a backfill that is killed at a point, if it comes to it. It verifies no verified day again. */
export async function dieAt(lab: Lab, point: Point): Promise<Outcome> {
  const before = await verdicts(lab);
  const disarm = point(lab, () => kill(running));
  const running = lab.backfill();
  const outcome = await running.outcome;
  disarm();
  await expectKept(lab, before);
  return outcome;
}

async function expectKept(lab: Lab, before: ReadonlyMap<string, string>): Promise<void> {
  const after = await verdicts(lab);
  expect([...before].filter(([day, at]) => after.get(day) !== at)).toEqual([]);
}

export async function expectSound(lab: Lab, states: OrderStates): Promise<Audit> {
  const found = await audit(lab.client, lab.simulator.shop, states);
  expect(found.faults).toEqual([]);
  return found;
}

/** The warehouse is what the shop is, and no run is left open. */
export async function expectEqual({ client, simulator }: Lab): Promise<void> {
  expect(await differences(client, simulator.shop)).toEqual([]);
  const { rows } = await client.query(
    `SELECT status FROM tested.runs WHERE status NOT IN ('ok', 'partial', 'abandoned')`,
  );
  expect(rows).toEqual([]);
}

/** The next run takes the shop over at once, reads no verified day again, and makes the warehouse equal. */
export async function expectHeals(
  lab: Lab,
  states: OrderStates,
  verified: readonly string[],
  days: number,
): Promise<void> {
  const before = await verdicts(lab);
  const dayOf = ({ createdLocal }: SimOrder) => createdLocal.toPlainDate().toString();
  const unread = lab.simulator.shop.orders().filter((order) => !verified.includes(dayOf(order)));
  const result = await lab.sweep();
  // A day that an order left for another day is read again by the sweep after that.
  const last = result.status === 'ok' ? result : await lab.sweep();
  expect(last).toMatchObject({ status: 'ok', problems: [] });
  expect(result.orders_seen).toBeGreaterThanOrEqual(unread.length);
  // A day that is read in parts may be read twice.
  expect(result.orders_seen).toBeLessThanOrEqual(2 * unread.length);
  await expectKept(lab, before);
  const { verifiedDays } = await expectSound(lab, states);
  expect(verifiedDays).toHaveLength(days + 1);
  await expectEqual(lab);
}

/** Orders are edited, placed, moved and deleted all over the calendar; few vanish from any window. */
export function changeShop({ simulator: { shop } }: Lab, random: Random): void {
  const orders = random.shuffled(shop.orders());
  const someTime = () =>
    LAST_DAY.subtract({ days: random.below(SMALL_SHOP.days) }).toPlainDateTime({
      hour: random.below(20),
      minute: random.below(60),
    });
  // A moved order is looked for on one page of its buyer's orders.
  const bought = Map.groupBy(orders, ({ buyerOid }) => buyerOid);
  const rare = orders.filter(({ buyerOid }) => (bought.get(buyerOid)?.length ?? 0) < 10);
  for (const { orderId } of orders.slice(0, 30)) shop.editOrder(orderId);
  for (const { orderId } of rare.slice(0, 4)) shop.moveOrder(orderId, someTime());
  for (const { orderId } of orders.slice(30, 34)) shop.deleteOrder(orderId);
  for (let count = 0; count < 6; count++) shop.insertOrder({ createdLocal: someTime() });
}
