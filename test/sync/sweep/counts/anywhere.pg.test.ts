/** Changes anywhere in a shop's history, found by what the shop counts. */
import { expect, test } from 'vitest';

import type { Simulator } from '../../../../src/simulator/server.ts';
import { makeShopInProcess } from '../../../support/in-process-shop.ts';
import { watchLists } from '../../../support/list-requests.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const IS_LONG = (process.env['TEST_LONG'] ?? '') !== '';
const [ORDERS, DAYS] = IS_LONG ? [12_000, 900] : [1_200, 300];
const MINUTE = 60_000;

/** Six edits of the status and three deletions, scattered over the older history. */
function changeNine({ shop }: Simulator): void {
  const orders = shop.orders();
  const at = (part: number) => orders[Math.floor(orders.length * part)]?.orderId ?? 0;
  for (const part of [0.02, 0.11, 0.37, 0.52, 0.71, 0.93]) {
    const order = shop.order(at(part));
    shop.editOrder(at(part), { status: order?.status === 'F' ? 'K' : 'F' });
  }
  for (const part of [0.05, 0.46, 0.88]) shop.deleteOrder(at(part));
}

test('six edits and three deletions in old history are in the warehouse after the next sync', async () => {
  const clock = testClock(NOW);
  await using simulator = makeShopInProcess({ orders: ORDERS, days: DAYS, now: NOW });
  await inWarehouse(async ({ client, db }) => {
    const sync = () =>
      sweepOnce(
        simulator,
        db,
        { kind: 'sync' },
        { countEveryMs: MINUTE },
        { now: clock.now, through: withoutGroups },
      );
    const lists = async () => {
      const watched = watchLists(simulator.requests);
      clock.pass({ minutes: 1 });
      const result = await sync();
      const counts = watched.filter(({ limit }) => limit === 1).length;
      return { result, counts, others: watched.length - counts };
    };
    await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now: clock.now });
    const quiet = await lists();
    process.stdout.write(`quiet: ${quiet.counts} counts, ${quiet.others} lists\n`);
    changeNine(simulator);
    const first = await lists();
    process.stdout.write(`nine: ${first.counts} counts, ${first.others} lists\n`);
    expect(first.result).toMatchObject({ status: 'ok', counts: { orders_changed: 6, orders_missing: 3 } });
    expect(await differences(client, simulator.shop)).toEqual([]);
    const after = await lists();
    expect(after).toMatchObject({ counts: quiet.counts, others: quiet.others });
    expect(quiet).toMatchObject({ counts: 28, others: 2 });
  });
});
