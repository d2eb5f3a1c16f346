import { expect, test } from 'vitest';

import { sweepProgress } from '../../../../src/cli/output/progress.ts';
import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import type { Progress } from '../../../../src/sync/run/context.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { watchLists } from '../../../support/list-requests.ts';
import { IS_LONG } from '../../../support/long.ts';
import { openShop } from '../../../support/shop.ts';
import { withoutGroups } from '../../../support/sweep.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const [ORDERS, DAYS] = IS_LONG ? [12_000, 900] : [1_200, 300];
const MINUTE = 60_000;

function never(): never {
  throw new Error('there is progress');
}

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
  const { clock, differences, simulator, sweep } = await openShop({ orders: ORDERS, days: DAYS, now: NOW });
  const lists = async (days: Pick<SweepRequest, 'from' | 'to'> = {}) => {
    const watched = watchLists(simulator.requests);
    clock.pass({ minutes: 1 });
    let read: (() => Progress) | undefined;
    const watch = (given: () => Progress) => void (read = given);
    let mostToDo = 0;
    const off = simulator.requests.onRequest(() => {
      const { days_verified = 0, days_due = 0 } = read?.() ?? {};
      if (days_verified < days_due) mostToDo = Math.max(mostToDo, days_due);
    });
    const result = await sweep({ kind: 'sync', ...days }, { countEveryMs: MINUTE }, { watch });
    off();
    const progress = read?.();
    expect(progress && progress.days_verified / (progress.days_due ?? 0), 'of the days').toBe(1);
    expect(sweepProgress(progress ?? never(), 1000).share).toBeGreaterThanOrEqual(1);
    const counts = watched.filter(({ limit }) => limit === 1).length;
    return { result, counts, mostToDo, others: watched.length - counts };
  };
  await sweep();
  const quiet = await lists();
  process.stdout.write(`quiet: ${quiet.counts} counts, ${quiet.others} lists\n`);
  changeNine(simulator);
  const first = await lists();
  process.stdout.write(`nine: ${first.counts} counts, ${first.others} lists\n`);
  expect(first.result).toMatchObject({ status: 'ok', orders_changed: 6, orders_missing: 3 });
  // Today, yesterday, and the days of the nine.
  expect([quiet.mostToDo, first.mostToDo]).toEqual([2, 11]);
  expect(await differences()).toEqual([]);
  const after = await lists();
  expect(after).toMatchObject({ counts: quiet.counts, others: quiet.others });
  expect(quiet).toMatchObject({ counts: 28, others: 2 });
  const today = NOW.toZonedDateTimeISO('UTC').toPlainDate();
  expect(await lists({ from: today, to: today }), 'of one day').toMatchObject({ counts: 0 });
});

test('an order that comes to a day without any is found by the counts, among the days before the next one that has some', async () => {
  const { clock, differences, shop, sweep } = await openShop({ orders: 0, days: 300, now: NOW });
  const place = (day: string) =>
    shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from(`${day}T09:00`) });
  for (const day of ['2025-09-01', '2025-11-10', '2026-01-20', '2026-03-10']) place(day);
  const settings = { countEveryMs: MINUTE, freshness: parseFreshness('2d:1m, *:30d') };
  await sweep({ kind: 'backfill' }, settings);
  for (const day of ['2025-12-24', '2025-09-30', '2025-08-02']) {
    place(day);
    clock.pass({ minutes: 1 });
    const swept = await sweep({ kind: 'sync' }, settings);
    expect(swept, day).toMatchObject({ status: 'ok', orders_new: 1 });
  }
  expect(await differences()).toEqual([]);
});

test('an order that moves to another old day and changes is found on its new day by the next two syncs, though its day of before waits for it', async () => {
  const { clock, differences, shop, sweep } = await openShop({ orders: 0, days: 300, now: NOW });
  const local = (day: string) => Temporal.PlainDateTime.from(`${day}T09:00`);
  const days = ['2025-09-01', '2025-11-10', '2026-01-20', '2026-03-10'];
  for (const day of days) shop.insertOrder({ createdLocal: local(day) });
  const settings = { countEveryMs: MINUTE, freshness: parseFreshness('2d:1m, *:30d') };
  await sweep({ kind: 'backfill' }, settings);
  const [, moved] = shop.orders();
  const orderId = moved?.orderId ?? 0;
  shop.moveOrder(orderId, local('2025-12-11'));
  // A status that no other order has is not counted.
  shop.editOrder(orderId, { status: 'P' });
  for (const _ of [1, 2]) {
    clock.pass({ minutes: 1 });
    await sweep({ kind: 'sync' }, settings);
  }
  expect(await differences()).toEqual([]);
});

test('a slow shop gets counts only as often as its pace allows, whatever the settings say', async () => {
  const { clock, simulator, sweep } = await openShop({ orders: 40, days: 20, now: NOW });
  const counts = async (foundRps: number) => {
    const through = (api: ShopApi): ShopApi => ({
      ...withoutGroups(api),
      health: { ...api.health, foundRps },
      // At the pace that the last sync found, these would take minutes.
      resume: () => undefined,
    });
    const lists = watchLists(simulator.requests);
    clock.pass({ minutes: 1 });
    await sweep({ kind: 'sync' }, { countEveryMs: MINUTE }, { through });
    return lists.filter(({ limit }) => limit === 1).length;
  };
  await sweep();
  // A tenth of what it takes in an hour: eighteen thousand requests, and three.
  const all = await counts(50);
  expect(all).toBeGreaterThan(10);
  expect(await counts(0.01)).toBe(0);
  // Half of that tenth may be saved: here one and a half times what a sync asks for, so the next one has to wait.
  const little = (1.5 * all) / 180;
  expect([await counts(little), await counts(little)]).toEqual([all, 0]);
  clock.pass({ minutes: 30 });
  expect(await counts(little)).toBe(all);
});

test('a shop whose total is not known to count matching orders gets no count requests', async () => {
  const { client, clock, shop, simulator, sweep } = await openShop({ orders: 60, days: 30, now: NOW });
  const counts = async () => {
    const watched = watchLists(simulator.requests);
    clock.pass({ minutes: 1 });
    await sweep({ kind: 'sync' }, { countEveryMs: 60_000 });
    return watched.filter(({ limit }) => limit === 1).length;
  };
  await sweep();
  expect(await counts()).toBeGreaterThan(0);
  for (const meaning of ['unknown', 'other']) {
    shop.setDialect({ total: 'absent' });
    await client.query(
      "UPDATE tested.shop_state SET memory = jsonb_set(memory - 'counts', '{profile,totalMeaning}', to_jsonb($1::text))",
      [meaning],
    );
    expect(await counts(), meaning).toBe(0);
  }
});
