import { expect, test } from 'vitest';

import { maxTime } from '../../../../src/model/window.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { FORCED, openShop } from '../../../support/shop.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T18:30:00Z');
const FIRST = Temporal.PlainDateTime.from('2026-03-08T00:00');
/** DD-MM-YYYY HH:MM:SS */
function timeOf(text: string | undefined): Temporal.PlainDateTime | undefined {
  const [day, month, year, clock] = text?.split(/[- ]/) ?? [];
  return text === undefined ? undefined : Temporal.PlainDateTime.from(`${year}-${month}-${day}T${clock}`);
}

test('orders that are there before and after a sweep are stored, however many come and go meanwhile', async () => {
  const made = { orders: 90, days: 3, now: PRESENT, pageCap: 10 };
  const { clock, differences, rows, shop, simulator, ...ground } = await openShop(made);
  const sweep = (request = FORCED) => ground.sweep(request);
  let proven = 0;
  for (let round = 0; round < 4; round++) {
    clock.pass({ minutes: 1 });
    const before = new Set(shop.orders().map(({ orderId }) => orderId));
    let lists = 0;
    // A window needs two answers at least between which nothing shifts.
    const stop = simulator.requests.onRequest(({ route, query }) => {
      if (route !== 'orders' || ++lists % 8 > 0) return;
      const oldest = shop.orders().at(lists % 16 === 0 ? 0 : 40);
      shop.deleteOrder(oldest?.orderId ?? 0);
      shop.insertOrder({ createdLocal: maxTime(timeOf(query['date_from']) ?? FIRST, FIRST) });
    });
    const { problems, status } = await sweep();
    stop();
    expect(lists).toBeGreaterThan(8);
    expect(status).toBe(problems.length > 0 ? 'partial' : 'ok');
    const days = await rows(
      'SELECT day::text FROM tested.days WHERE verified_at = $1',
      clock.now().toString(),
    );
    const verified = new Set(days.map(({ day }) => day));
    const live = await rows(
      'SELECT order_id::int AS id FROM tested.orders WHERE missing_since IS NULL AND deleted_at IS NULL',
    );
    const stored = new Set(live.map(({ id }) => id));
    const survivors = shop
      .orders()
      .filter(
        ({ orderId, createdLocal }) =>
          before.has(orderId) && verified.has(createdLocal.toPlainDate().toString()),
      );
    expect(survivors.filter(({ orderId }) => !stored.has(orderId))).toEqual([]);
    proven += survivors.length;
  }
  expect(proven).toBeGreaterThan(100);
  clock.pass({ minutes: 1 });
  expect(await sweep({ ...FORCED, acceptMissing: true })).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
});

test('an order that moves to an older day during the sweep is stored where it was seen last', async () => {
  const made = { orders: 60, days: 6, seed: 4, now: PRESENT };
  const { clock, differences, shop, simulator, ...ground } = await openShop(made);
  const { requests, faults } = simulator;
  const sweep = () => ground.sweep(FORCED, { pageLimit: 5 });
  await sweep();
  const orderId = shop.orders().at(-1)?.orderId ?? 0;
  const { createdLocal } = shop.editOrder(orderId, { status: 'A' });
  // Its newer window is read first, but its lines let that wait.
  faults.failNext(1, 'slow', { route: 'order', delayMs: 400 });
  let movedTo: Temporal.PlainDateTime | undefined;
  const areLinesAsked = Promise.withResolvers<void>();
  requests.onRequest(async ({ route, query }) => {
    if (route === 'order') areLinesAsked.resolve();
    const [from, to] = [timeOf(query['date_from']), timeOf(query['date_to'])];
    const isOlder = to !== undefined && Temporal.PlainDateTime.compare(to, createdLocal) < 0;
    if (route !== 'orders' || from === undefined || !isOlder || movedTo !== undefined) return;
    movedTo = from.add({ minutes: 1 });
    await areLinesAsked.promise;
    shop.moveOrder(orderId, movedTo);
  });
  clock.pass({ minutes: 1 });
  // The day that it left is read again.
  expect(await sweep()).toMatchObject({ status: 'partial', orders_missing: 0 });
  expect(movedTo).toBeDefined();
  expect(faults.pending()).toBe(0);
  expect(await differences()).toEqual([]);
  clock.pass({ minutes: 1 });
  expect(await sweep()).toMatchObject({ status: 'ok' });
});

test('an order that moved to a day that was read before is stored with its new time', async () => {
  const made = { orders: 60, days: 6, seed: 4, now: PRESENT };
  const { clock, differences, shop, simulator, ...ground } = await openShop(made);
  const { requests } = simulator;
  const sweep = (request: SweepRequest) => ground.sweep(request, { pageLimit: 5 });
  await sweep(FORCED);
  const [oldest] = shop.orders();
  const target = PRESENT.toZonedDateTimeISO('Europe/Berlin').toPlainDate().subtract({ days: 1 });
  let isMoved = false;
  requests.onRequest(({ route, query }) => {
    const [from, to] = [timeOf(query['date_from']), timeOf(query['date_to'])];
    if (route !== 'orders' || isMoved || oldest === undefined || from === undefined || to === undefined)
      return;
    // What lies below a newer window, before the oldest one is read.
    const isAbove = Temporal.PlainDateTime.compare(to, target.toPlainDateTime()) > 0;
    if (isAbove || Temporal.PlainDateTime.compare(from, oldest.createdLocal) > 0) return;
    isMoved = true;
    shop.moveOrder(oldest.orderId, target.toPlainDateTime('10:00'));
  });
  clock.pass({ minutes: 1 });
  // There is no time to read it again at once.
  const cut = await sweep({ ...FORCED, mustEnd: () => isMoved });
  expect(cut).toMatchObject({ orders_missing: 0 });
  expect(isMoved).toBe(true);
  clock.pass({ minutes: 10 });
  expect(await sweep(FORCED)).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
});
