import { expect, test } from 'vitest';

import { Random } from '../../../src/simulator/shop/random.ts';
import type { SimRequest } from '../../../src/simulator/api/request-log.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import type { SimulatedShop } from '../../../src/simulator/shop/simulated-shop.ts';
import { maxTime, minTime } from '../../../src/model/window.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { IS_LONG } from '../../support/long.ts';
import { withShop } from '../../support/shop.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T18:30:00Z');
const FORCED = { kind: 'backfill', force: true } as const;
const SWEEPS = IS_LONG ? 25 : 6;
const CROWD = 18;
const PAGE = 10;
/** From here on orders only go where any are left. */
const MOST_ORDERS = 90;

/** A window needs two answers at least between which nothing shifts: drift at every request would leave none. */
const REQUESTS_PER_CHANGE = 8;
const FIRST = Temporal.PlainDateTime.from('2026-03-08T00:00');

/** before the answer to every eighth list request an order comes or goes, at either end of what was asked for. */
class Bustle {
  readonly #shop: SimulatedShop;
  readonly #random: Random;
  #requests = 0;
  changes = 0;

  constructor(shop: SimulatedShop, seed: number) {
    this.#shop = shop;
    this.#random = new Random(seed);
  }

  stir({ route, query }: SimRequest): void {
    if (route !== 'orders' || ++this.#requests % REQUESTS_PER_CHANGE > 0) return;
    const present = PRESENT.toZonedDateTimeISO('Europe/Berlin').toPlainDateTime();
    const from = maxTime(timeOf(query['date_from']) ?? FIRST, FIRST);
    const to = minTime(timeOf(query['date_to']) ?? present, present);
    const within = this.#shop.orders().filter(({ createdLocal }) => isIn(createdLocal, from, to));
    const isFull = this.#shop.orders().length >= MOST_ORDERS;
    if (within.length > 0 && (isFull || this.#random.chance(0.5))) {
      const gone = this.#random.chance(0.5) ? within[0] : within.at(-1);
      if (gone !== undefined) this.#shop.deleteOrder(gone.orderId);
    } else {
      const createdLocal = this.#random.chance(0.5) ? from : to.subtract({ seconds: 1 });
      this.#shop.insertOrder({ createdLocal });
    }
    this.changes += 1;
  }
}

/** DD-MM-YYYY HH:MM:SS */
function timeOf(text: string | undefined): Temporal.PlainDateTime | undefined {
  const [day, month, year, clock] = text?.split(/[- ]/) ?? [];
  return text === undefined ? undefined : Temporal.PlainDateTime.from(`${year}-${month}-${day}T${clock}`);
}

function isIn(
  time: Temporal.PlainDateTime,
  from: Temporal.PlainDateTime,
  to: Temporal.PlainDateTime,
): boolean {
  return Temporal.PlainDateTime.compare(time, from) >= 0 && Temporal.PlainDateTime.compare(time, to) < 0;
}

/** A shop some of whose minutes do not fit a page. */
async function crowdedShop(dialect: Parameters<typeof makeShopInProcess>[0]): Promise<Simulator> {
  const simulator = makeShopInProcess({ orders: 40, days: 3, now: PRESENT, pageCap: PAGE, ...dialect });
  for (const minute of ['2026-03-09T00:00', '2026-03-10T17:59']) {
    const start = Temporal.PlainDateTime.from(minute);
    for (let order = 0; order < CROWD; order++) {
      simulator.shop.insertOrder({ createdLocal: start.add({ seconds: order * 2 }) });
    }
  }
  return simulator;
}

const dayOf = (time: Temporal.PlainDateTime) => time.toPlainDate().toString();

const LISTS = (['asc', 'desc'] as const).flatMap((listOrder) =>
  (['absent', 'matches'] as const).map((total) => ({ listOrder, total })),
);

test.each(IS_LONG ? LISTS : LISTS.slice(0, 1))(
  'orders that exist before and after a sweep are stored, however many come and go meanwhile: $listOrder, total $total',
  async ({ listOrder, total }) => {
    const seed = listOrder.length * 100 + total.length;
    await using simulator = await crowdedShop({ seed, dialect: { listOrder, total } });
    const bustle = new Bustle(simulator.shop, seed);
    await inWarehouse(async ({ client, db }) => {
      const clock = testClock(PRESENT);
      const sweep = (request = {}) =>
        sweepOnce(simulator, db, { ...FORCED, ...request }, {}, { now: clock.now, through: withoutGroups });
      const counted = { proven: 0, unproven: 0, survivors: 0 };
      for (let round = 0; round < SWEEPS; round++) {
        clock.pass({ minutes: 1 });
        const before = new Set(simulator.shop.orders().map(({ orderId }) => orderId));
        const stop = simulator.requests.onRequest((request) => bustle.stir(request));
        const result = await sweep();
        stop();
        const { rows: days } = await client.query<{ day: string; is_proven: boolean; is_failing: boolean }>(
          'SELECT day::text, coalesce(verified_at = $1, false) AS is_proven, attempts > 0 AS is_failing FROM tested.days',
          [clock.now().toString()],
        );
        const proven = new Set(days.flatMap(({ day, is_proven }) => (is_proven ? [day] : [])));
        // Others are those that were due again once the list showed more of them.
        const isAnyFailing = days.some(({ is_failing }) => is_failing);
        if (isAnyFailing) expect(result.problems).not.toEqual([]);
        expect(result.status).toBe(result.problems.length > 0 ? 'partial' : 'ok');
        counted.proven += proven.size;
        counted.unproven += days.length - proven.size;

        const { rows: live } = await client.query<{ order_id: string }>(
          'SELECT order_id::text FROM tested.orders WHERE missing_since IS NULL AND deleted_at IS NULL',
        );
        const held = new Set(live.map((row) => Number(row.order_id)));
        const survivors = simulator.shop
          .orders()
          .filter(({ orderId, createdLocal }) => before.has(orderId) && proven.has(dayOf(createdLocal)));
        expect(survivors.filter(({ orderId }) => !held.has(orderId))).toEqual([]);
        counted.survivors += survivors.length;
      }
      expect(bustle.changes).toBeGreaterThan(SWEEPS * 2);
      // Contents are fetched between the pages of a list, and the shop changes with each request.
      expect(counted.proven).toBeGreaterThan(counted.unproven);
      expect(counted.survivors).toBeGreaterThan(SWEEPS * 40);

      clock.pass({ minutes: 1 });
      // So many were deleted while no day could be proven that they would be taken for a fault of the shop.
      expect(await sweep({ acceptMissing: true })).toMatchObject({ status: 'ok' });
      expect(await differences(client, simulator.shop)).toEqual([]);
    });
  },
);

test('an order that moves to an older day during the sweep is stored where it was seen last', () =>
  withShop(
    { orders: 60, days: 6, seed: 4, now: PRESENT },
    async ({ client, clock, simulator, ...ground }) => {
      const { shop, requests, faults } = simulator;
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
      expect(await differences(client, shop)).toEqual([]);
      clock.pass({ minutes: 1 });
      expect(await sweep()).toMatchObject({ status: 'ok' });
    },
  ));

test('an order that moved to a day that was read before is stored with its new time', () =>
  withShop(
    { orders: 60, days: 6, seed: 4, now: PRESENT },
    async ({ client, clock, simulator, ...ground }) => {
      const { shop, requests } = simulator;
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
      expect(await differences(client, shop)).toEqual([]);
    },
  ));
