/** Changes anywhere in a shop's history, found by what the shop counts. */
import { expect, test } from 'vitest';

import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import { sweepProgress } from '../../../../src/cli/output/progress.ts';
import type { Progress } from '../../../../src/sync/run/context.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { watchLists } from '../../../support/list-requests.ts';
import { withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';
import { IS_LONG } from '../../../support/long.ts';
import { withShop } from '../../../support/shop.ts';

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

test('six edits and three deletions in old history are in the warehouse after the next sync', () =>
  withShop({ orders: ORDERS, days: DAYS, now: NOW }, async ({ client, clock, simulator, sweep }) => {
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
    expect(await differences(client, simulator.shop)).toEqual([]);
    const after = await lists();
    expect(after).toMatchObject({ counts: quiet.counts, others: quiet.others });
    expect(quiet).toMatchObject({ counts: 28, others: 2 });
    const today = NOW.toZonedDateTimeISO('UTC').toPlainDate();
    expect(await lists({ from: today, to: today }), 'of one day').toMatchObject({ counts: 0 });
  }));

test('an order that comes to a day without any is found by the counts, among the days before the next one that has some', () =>
  withShop({ orders: 0, days: 300, now: NOW }, async ({ client, clock, simulator, sweep }) => {
    const { shop } = simulator;
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
    expect(await differences(client, shop)).toEqual([]);
  }));

test('an order that moves to another old day and changes is found on its new day by the next two syncs, though its day of before waits for it', () =>
  withShop({ orders: 0, days: 300, now: NOW }, async ({ client, clock, simulator, sweep }) => {
    const { shop } = simulator;
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
    expect(await differences(client, shop)).toEqual([]);
  }));

test('a slow shop gets counts only as often as its pace allows, whatever the settings say', () =>
  withShop({ orders: 40, days: 20, now: NOW }, async ({ clock, simulator, sweep }) => {
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
  }));
