/** Orders that come or move while a sweep reads, and sweeps that are stopped or taken over meanwhile. */
import { expect, test } from 'vitest';
import { LeaseLostError, TerminalError } from '../../../../src/model/errors.ts';
import { isBefore } from '../../../../src/model/window.ts';
import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { SimulatedShop } from '../../../../src/simulator/shop/simulated-shop.ts';
import { IS_LONG } from '../../../support/long.ts';
import { openShop } from '../../../support/shop.ts';
import { sweepOnce, withoutGroups } from '../../../support/sweep.ts';
import { until } from '../../../support/until.ts';

const TODAY = Temporal.PlainDateTime.from('2026-03-10T00:00');
const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');
/** No day is due again. */
const freshness = parseFreshness('*:99999d');

/** The newest order but one that the dates of a list reach: it lies above the window that the list is asked for. */
function reached(shop: SimulatedShop, dateTo: Temporal.PlainDateTime) {
  return shop
    .orders()
    .map(({ createdLocal }) => createdLocal)
    .filter((created) => Temporal.PlainDateTime.compare(created, dateTo) <= 0)
    .toSorted((one, other) => Temporal.PlainDateTime.compare(one, other))
    .at(-1);
}

test('an order that arrives on a day that this sweep has read is stored even if the sweep is killed', async () => {
  const made = { orders: 400, days: 40, seed: 5, now: PRESENT };
  const { differences, rows, shop, sweep } = await openShop(made);
  const settings = { freshness, pageLimit: 20 };
  const verifiedDays = async () => {
    return (await rows('SELECT FROM tested.days WHERE verified_at IS NOT NULL')).length;
  };
  const more = (days: number) => until('more days are verified', async () => (await verifiedDays()) > days);
  let [late, before]: [Temporal.PlainDateTime | undefined, number] = [undefined, 0];
  const dying = (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    async listOrders(query, signal) {
      // The check of the filter is about a few minutes, and no window.
      const isWindow =
        query.dateFrom && query.dateTo && isBefore(query.dateFrom.add({ hours: 1 }), query.dateTo);
      const dateTo = isWindow === true ? query.dateTo : undefined;
      // The second window, and then the third.
      if (late === undefined && dateTo !== undefined && isBefore(dateTo, TODAY)) {
        await more(0);
        late = reached(shop, dateTo)?.subtract({ minutes: 1 });
        if (late !== undefined) shop.insertOrder({ createdLocal: late });
        before = await verifiedDays();
      } else if (late !== undefined && dateTo !== undefined && isBefore(dateTo, late.subtract({ days: 1 }))) {
        await more(before);
        // As if it was killed.
        throw new TerminalError('killed');
      }
      return api.listOrders(query, signal);
    },
  });
  await expect(sweep({ kind: 'backfill' }, settings, { through: dying })).rejects.toThrow('killed');
  expect(late).toBeDefined();
  await sweep({ kind: 'backfill' }, settings);
  expect(await differences()).toEqual([]);
});

/** Requests for lists at which the first sweep stops until the other has taken over. */
const STOPS = IS_LONG ? [2, 4, 6, 8, 10, 12, 14, 16, 20] : [3, 7, 12];

test.each(STOPS)(
  'while one sweep takes over from another, stopped at list %i, no day is verified without an order that was there by then',
  async (stop) => {
    const made = { orders: 200, days: 20, seed: 5, now: PRESENT };
    const { client, clock, rows, shop, ...ground } = await openShop(made);
    const settings = { freshness, pageLimit: 10 };
    const placed = new Map<string, Temporal.Instant>();
    /** Late orders all over the history, at whatever is read of it by now. */
    const placeSome = () => {
      for (const days of [1, 4, 8, 12, 16]) {
        const createdLocal = TODAY.subtract({ days }).add({ hours: 9, minutes: placed.size });
        placed.set(String(shop.insertOrder({ createdLocal }).orderId), clock.now());
      }
    };
    const asking = (onList: (lists: number) => Promise<void> | void) => (api: ShopApi) => {
      let lists = 0;
      return {
        ...withoutGroups(api),
        async listOrders(...asked: Parameters<ShopApi['listOrders']>) {
          clock.pass({ seconds: 1 });
          lists += 1;
          await onList(lists);
          return api.listOrders(...asked);
        },
      };
    };
    const sweep = async (onList: (lists: number) => Promise<void> | void) =>
      ground.sweep({ kind: 'backfill' }, settings, { through: asking(onList) });
    const [stopped, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = sweep(async (lists) => {
      if (lists === stop - 1) placeSome();
      if (lists !== stop) return;
      stopped.resolve();
      await resumed.promise;
    }).catch((error: unknown) => error);
    await stopped.promise;
    placeSome();
    await client.query('UPDATE tested.leases SET expires_at = now()');
    await sweep((lists) => {
      if (lists % 3 === 2 && lists < 20) placeSome();
      // What it has read is older than what this one has written by now.
      if (lists === 9) resumed.resolve();
    });
    resumed.resolve();
    expect(await first).toBeInstanceOf(LeaseLostError);
    await sweep(() => undefined);
    const days = await rows(
      `SELECT day::text, to_json(verified_at) #>> '{}' AS at FROM tested.days WHERE verified_at IS NOT NULL`,
    );
    const verified = new Map(days.map(({ day, at }) => [day, Temporal.Instant.from(at)]));
    expect(verified.size).toBeGreaterThan(20);
    const held = new Set((await rows('SELECT order_id AS id FROM tested.orders')).map(({ id }) => id));
    const lost = shop.orders().filter(({ orderId, createdLocal }) => {
      const at = verified.get(createdLocal.toPlainDate().toString());
      const since = placed.get(String(orderId)) ?? PRESENT;
      return at !== undefined && Temporal.Instant.compare(since, at) < 0 && !held.has(String(orderId));
    });
    expect(lost).toEqual([]);
  },
);

const EVENING = Temporal.Instant.from('2026-03-10T20:00:00Z');
test('a process that resumes a stopped one requests no content that was written', async () => {
  const made = { orders: 150, days: 1, now: EVENING, pageCap: 50 };
  const { client, differences, simulator, sweep } = await openShop(made);
  const { requests } = simulator;
  const stop = new AbortController();
  let came = 0;
  const through = (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    async orderContent(...asked) {
      const content = await api.orderContent(...asked);
      if (++came === 30) stop.abort(new Error('stopped'));
      return content;
    },
  });
  const ended = sweep({ kind: 'backfill' }, {}, { signal: stop.signal, through });
  await expect(ended).rejects.toThrow('stopped');
  const { rows } = await client.query('SELECT count(*)::int AS stored FROM tested.orders');
  expect(rows[0].stored).toBeGreaterThanOrEqual(30);
  expect(rows[0].stored).toBeLessThan(150);
  const before = requests.count('order');
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(requests.count('order') - before).toBe(150 - rows[0].stored);
  expect(await differences()).toEqual([]);
});

test('an order that moves to earlier days while they are read is stored as it was listed last', async () => {
  const made = { orders: 60, days: 10, seed: 4, now: EVENING };
  const { client, db, differences, shop, simulator } = await openShop(made);
  // Apart, so that each is read by itself.
  const days = ['2026-03-08', '2026-03-06', '2026-03-04'].map((day) => Temporal.PlainDate.from(day));
  const [moving = 0, ...others] = days.map(
    (day) => shop.insertOrder({ createdLocal: day.toPlainDateTime('10:00') }).orderId,
  );
  let ticks = 0;
  const now = () => EVENING.add({ milliseconds: ticks++ });
  const sweep = (through = withoutGroups) =>
    sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now, through });
  await sweep();
  await client.query('UPDATE tested.days SET verified_at = NULL WHERE day = ANY ($1)', [days.map(String)]);
  for (const orderId of [moving, ...others]) shop.editOrder(orderId);
  // It moves when its content is asked for, which comes only when the list of its next day is being loaded.
  const isAsked = days.map(() => Promise.withResolvers<void>());
  const isListed = others.map(() => Promise.withResolvers<void>());
  let [moves, asked] = [0, 0];
  const result = await sweep((api) => ({
    ...withoutGroups(api),
    async listOrders(query, signal) {
      const next = days[moves + 1];
      if (next && query.dateTo && isBefore(query.dateTo, next.add({ days: 2 }).toPlainDateTime())) {
        await isAsked[moves++]?.promise;
        shop.moveOrder(moving, next.toPlainDateTime('12:00'));
      }
      return api.listOrders(query, signal);
    },
    async orderContent(orderId, signal) {
      if (orderId === String(moving)) {
        isAsked[asked]?.resolve();
        await isListed[asked++]?.promise;
      }
      const content = await api.orderContent(orderId, signal);
      isListed[others.indexOf(Number(orderId))]?.resolve();
      return content;
    },
  }));
  // The days that it left are read again.
  expect(result).toMatchObject({ status: 'partial' });
  expect(asked).toBe(days.length);
  expect(await differences()).toEqual([]);
  expect(await sweep()).toMatchObject({ status: 'ok' });
});
