import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { spreadShops, startDispatcher } from '../../src/worker/dispatcher.ts';
import type { QueuedSweep } from '../../src/worker/queue.ts';

const NOON = new Date('2026-03-10T12:00:00Z');
const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined };

type Sent = QueuedSweep & { readonly atMs: number; readonly tick: Date | undefined };

beforeEach(() => void vi.useFakeTimers({ now: new Date(NOON.getTime() - 30_000) }));
afterEach(() => void vi.useRealTimers());

function dispatch(shopKeys: readonly string[], cron: string, known: readonly string[] = shopKeys) {
  const sent: Sent[] = [];
  const add = async (sweeps: readonly QueuedSweep[], tick?: Date) => {
    sent.push(...sweeps.map((sweep) => ({ ...sweep, atMs: Date.now() - NOON.getTime(), tick })));
    return sweeps.length;
  };
  const shops = shopKeys.map((shopKey) => ({ shopKey }));
  const readKnownShops = vi.fn(async () => known);
  const dispatcher = startDispatcher({
    shops: () => shops,
    queue: { add },
    readKnownShops,
    cron,
    slots: 4,
    logger,
  });
  return { dispatcher, sent, readKnownShops };
}

const SHOPS = Array.from({ length: 120 }, (_, index) => `shop-${index + 100}`);

test('a worker sends every shop when it starts, and then each at its own moment of every minute', async () => {
  const { dispatcher, sent, readKnownShops } = dispatch(SHOPS, '* * * * *');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent.splice(0).map(({ shopKey, tick }) => [shopKey, tick])).toEqual(
    SHOPS.map((shopKey) => [shopKey, undefined]),
  );
  await vi.advanceTimersByTimeAsync(29_000 + 59_999);
  const first = sent.splice(0);
  expect(new Set(first.map(({ tick }) => tick?.getTime()))).toEqual(new Set([NOON.getTime()]));
  // Two in each second: the moment is the same as long as the shops are.
  expect(first.map(({ atMs }) => Math.floor(atMs / 1_000))).toEqual(
    SHOPS.map((_, index) => Math.floor(index / 2)),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  const second = sent.splice(0);
  expect(second.map(({ shopKey }) => shopKey)).toEqual(first.map(({ shopKey }) => shopKey));
  expect(second.map(({ atMs }) => Math.floor((atMs - 60_000) / 1_000))).toEqual(
    first.map(({ atMs }) => Math.floor(atMs / 1_000)),
  );
  expect(readKnownShops, 'known shops are not read again').toHaveBeenCalledTimes(1);
  // In the middle of a minute, with shops that are still to be sent.
  await vi.advanceTimersByTimeAsync(30_000);
  expect(sent.splice(0).length).toBeLessThan(SHOPS.length);
  dispatcher[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(sent).toEqual([]);
});

test('few shops, or a short tick, begin with the tick; ticks far apart are spread over a minute', async () => {
  const few = dispatch(SHOPS.slice(0, 4), '* * * * *');
  const short = dispatch(SHOPS, '*/5 * * * * *');
  const hourly = dispatch(SHOPS, '0 * * * *');
  await vi.advanceTimersByTimeAsync(20_000);
  for (const { sent } of [few, short, hourly]) sent.splice(0);
  await vi.advanceTimersByTimeAsync(10_000 + 900);
  expect(few.sent.map(({ atMs }) => Math.floor(atMs / 1_000))).toEqual([0, 0, 0, 0]);
  expect(short.sent.filter(({ tick }) => tick?.getTime() === NOON.getTime())).toHaveLength(120);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(hourly.sent).toHaveLength(120);
  expect(hourly.sent.at(-1)?.atMs).toBeGreaterThan(58_000);
  for (const { dispatcher } of [few, short, hourly]) dispatcher[Symbol.dispose]();
});

test('a schedule is in UTC, wherever a worker runs', async () => {
  const { dispatcher, sent } = dispatch(['a'], '0 12 * * *');
  await vi.advanceTimersByTimeAsync(31_000);
  expect(sent.map(({ tick }) => tick)).toEqual([undefined, NOON]);
  dispatcher[Symbol.dispose]();
});

test.each([{ hours: -3 }, { minutes: -5 }, { hours: 3 }])(
  'when the clock is set by %o, shops are sent at once, and then at every tick of the new time',
  async (by) => {
    const { dispatcher, sent } = dispatch(['a'], '* * * * *');
    await vi.advanceTimersByTimeAsync(31_000);
    const wall = Temporal.Instant.fromEpochMilliseconds(Date.now()).add(by);
    vi.setSystemTime(wall.epochMilliseconds);
    sent.splice(0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent.splice(0).map(({ tick }) => tick)).toEqual([undefined]);
    await vi.advanceTimersByTimeAsync(120_000);
    const first = wall.round({ smallestUnit: 'minute', roundingMode: 'ceil' });
    expect(sent.map(({ tick }) => tick)).toEqual([
      new Date(first.epochMilliseconds),
      new Date(first.epochMilliseconds + 60_000),
    ]);
    dispatcher[Symbol.dispose]();
  },
);

test('a shop that the warehouse does not hold is sent as new, until it does', async () => {
  const known = ['held'];
  const { dispatcher, sent } = dispatch(['held', 'added'], '* * * * *', known);
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.map(({ shopKey, urgency }) => [shopKey, urgency])).toEqual([
    ['held', 'due'],
    ['added', 'new'],
  ]);
  known.push('added');
  await vi.advanceTimersByTimeAsync(31_000);
  expect(sent.slice(2).map(({ urgency }) => urgency)).toEqual(['due', 'due']);
  dispatcher[Symbol.dispose]();
});

import * as fc from 'fast-check';

const keys = (count: number) => Array.from({ length: count }, (_, index) => `shop-${index}`);

test('200 shops are spread evenly over a minute: three or four in each second', () => {
  const batches = spreadShops(keys(200), 60_000, 4);
  expect(batches.map(({ afterMs }) => afterMs)).toEqual(Array.from({ length: 60 }, (_, s) => s * 1_000));
  expect(new Set(batches.map(({ shopKeys }) => shopKeys.length))).toEqual(new Set([3, 4]));
});

test('as many shops as a worker sweeps at once, or any number in a short tick, begin at once', () => {
  expect(spreadShops(keys(4), 60_000, 4)).toEqual([{ afterMs: 0, shopKeys: keys(4) }]);
  expect(spreadShops(keys(50), 9_999, 4)).toEqual([{ afterMs: 0, shopKeys: keys(50) }]);
  expect(spreadShops(keys(5), 60_000, 4)).toHaveLength(5);
});

test('every shop has one place, the same in any order of the settings; another shop hardly moves it', () => {
  const placesOf = (shopKeys: readonly string[], spanMs: number) => {
    const batches = spreadShops(shopKeys, spanMs, 4);
    return new Map(batches.flatMap((batch) => batch.shopKeys.map((key) => [key, batch.afterMs] as const)));
  };
  const shops = fc.uniqueArray(fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,8}$/), { minLength: 6 });
  fc.assert(
    fc.property(shops, fc.integer({ min: 10_000, max: 60_000 }), ([added = '', ...others], spanMs) => {
      const places = placesOf(others, spanMs);
      expect(places.size).toBe(others.length);
      expect(placesOf(others.toReversed(), spanMs)).toEqual(places);
      const after = placesOf([added, ...others], spanMs);
      for (const [key, afterMs] of places) {
        expect(afterMs).toBeLessThan(spanMs);
        const movedMs = Math.abs((after.get(key) ?? Number.NaN) - afterMs);
        expect(movedMs).toBeLessThanOrEqual(Math.ceil(spanMs / (others.length + 1) / 1_000) * 1_000);
      }
    }),
  );
});
