import { expect, test } from 'vitest';

import { DriftError, TerminalError } from '../../src/errors.ts';
import { createdMinute } from '../../src/normalize/order.ts';
import { unknownProfile } from '../../src/shop-api/page-profile.ts';
import { readSpan } from '../../src/shop-api/walk.ts';
import { rejection } from './api-of.ts';
import { type FakeOrder, FakeShop, secondsOf, timeOf } from './fake-shop.ts';
import { ascending, expectTiled, readAll } from './read-all.ts';

const local = (text: string) => Temporal.PlainDateTime.from(text);
const numbered = (created: readonly number[]): readonly FakeOrder[] =>
  created.map((seconds, index) => ({ id: 1000 + index, created: seconds }));

/** A walk of its own over one span. */
function spanOf(shop: FakeShop, from: string, to: string, profile = unknownProfile(500)) {
  const book = { profile };
  const createdOf = ({ raw }: { raw: Parameters<typeof createdMinute>[0] }) => createdMinute(raw);
  const deps = { api: shop, book, createdOf, now: () => Temporal.Now.instant() };
  return { book, read: () => readSpan(deps, { from: local(from), to: local(to) }) };
}

const DAYS = { from: '2026-03-01', to: '2026-03-20' };
test('a server that ignores start is read in smaller windows, and only a crowded minute is left open', async () => {
  const spread = Array.from({ length: 120 }, (_, index) => secondsOf('2026-03-02T08:00') + index * 10_007);
  const shop = new FakeShop(numbered(spread), { cap: 10, ignoresStart: true, mostRequests: 500 });
  const quiet = await readAll(shop, DAYS);
  expect(ascending(quiet.ids)).toEqual(ascending(shop.orders.map(({ id }) => id)));
  expect(quiet.profile.ignoresStart).toBe(true);
  const crowd = Array.from({ length: 15 }, (_, second) => secondsOf('2026-03-10T12:34') + second);
  const crowded = new FakeShop(numbered([...spread, ...crowd]), shop.traits);
  const { readings } = await readAll(crowded, DAYS);
  const open = readings.filter((reading) => reading.kind === 'drifted');
  expect(open.map(({ window }) => window.from.toString())).toEqual(['2026-03-10T12:34:00']);
  expect(open[0]?.reason).toMatch(/ignores "start".*2026-03-10T12:34.*more orders than one page/);
  expectTiled(readings, DAYS.from, DAYS.to);
});

test('a server that ignores the date filter, or filters by another date, is refused with what to do', async () => {
  const spread = Array.from({ length: 300 }, (_, index) => secondsOf('2026-02-20T08:00') + index * 7000);
  for (const shop of [
    new FakeShop(numbered(spread), { ignoresDates: true, cap: 50 }),
    new FakeShop(numbered(spread), { ignoresDates: true, cap: 50, sort: 'asc', total: 'all' }),
  ]) {
    const error = await rejection(readAll(shop, { from: '2026-02-20', to: '2026-03-15' }));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error.message).toMatch(/\d+ of 50 lie outside.*date_from and date_to.*ask the platform/);
  }
});

test('what total counts is learned right, and from an overfull window not at all', async () => {
  const spread = numbered(Array.from({ length: 200 }, (_, index) => secondsOf(DAYS.from) + index * 8000));
  for (const [total, meaning] of [
    ['matches', 'matches'],
    ['all', 'all'],
    ['absent', 'unknown'],
  ] as const) {
    const { profile } = await readAll(new FakeShop(spread, { total, cap: 30 }), DAYS);
    expect(profile).toEqual({
      limit: 500,
      longestPage: 30,
      isCapProven: true,
      totalMeaning: meaning,
      ignoresStart: false,
    });
    const overfull = spanOf(new FakeShop(spread, { total, cap: 30 }), '2026-03-01', '2026-03-21');
    expect((await overfull.read()).kind).toBe('overflow');
    expect(overfull.book.profile.totalMeaning).toBe('unknown');
  }
});

test('a total that was taken for something else is put right, and until then nothing is called whole wrongly', async () => {
  const spread = numbered(Array.from({ length: 60 }, (_, index) => secondsOf(DAYS.from) + index * 20_000));
  for (const total of ['matches', 'all'] as const) {
    const wrong = total === 'all' ? 'matches' : 'all';
    const profile = {
      ...unknownProfile(500),
      longestPage: 30,
      isCapProven: true,
      totalMeaning: wrong,
    } as const;
    const first = await readAll(new FakeShop(spread, { total, cap: 30 }), { ...DAYS, profile });
    for (const reading of first.readings) {
      if (reading.kind === 'drifted') continue;
      const [from, to] = [secondsOf(reading.window.from), secondsOf(reading.window.to)];
      expect(reading.rows).toHaveLength(
        spread.filter(({ created }) => created >= from && created < to).length,
      );
    }
    const second = await readAll(new FakeShop(spread, { total, cap: 30 }), {
      ...DAYS,
      profile: first.profile,
    });
    expect(second.profile.totalMeaning).toBe(total);
    expect(second.ids).toHaveLength(60);
  }
});

test('a list that stays shorter than its total says is not called whole', async () => {
  const matches = { ...unknownProfile(500), longestPage: 30, totalMeaning: 'matches' } as const;
  for (const kept of [0, 1]) {
    const shop = new FakeShop(
      numbered([1, 2, 3, 4].map((minute) => secondsOf('2026-03-05T10:00') + minute * 60)),
    );
    const listOrders: typeof shop.listOrders = async (query) => {
      const page = await shop.listOrders(query);
      return { ...page, rows: page.rows.slice(0, kept), received: Math.min(kept, page.received) };
    };
    const { readings } = await readAll({ listOrders }, { ...DAYS, profile: matches });
    expect(readings[0]?.kind).toBe('drifted');
  }
});

test('elements without an identifier do not disturb the proof, wherever a page ends', async () => {
  const minute = secondsOf('2026-03-05T10:00');
  const all = numbered(Array.from({ length: 23 }, (_, second) => minute + second));
  // Newest first, every fourth row is the one in which two pages overlap.
  const bad = new Set([1018, 1014, 1010, 1006]);
  const shop = new FakeShop(all, { cap: 5 });
  const listOrders: typeof shop.listOrders = async (query) => {
    const page = await shop.listOrders(query);
    const isBad = ({ orderId }: { orderId: string }) => bad.has(Number(orderId));
    const malformed = page.rows.filter(isBad).map(({ orderId }) => ({ fio: orderId }));
    return { ...page, rows: page.rows.filter((row) => !isBad(row)), malformed };
  };
  const { readings } = await readAll({ listOrders }, DAYS);
  const crowded = readings.find((reading) => reading.kind === 'whole' && reading.rows.length > 0);
  expect(crowded).toMatchObject({ kind: 'whole', malformed: { length: 4 }, rows: { length: 19 } });
});

test('rows of the boundary minute are left to the next window, and undated ones to whoever meets them', async () => {
  const shop = new FakeShop(
    numbered(['09:59:59', '10:00:00', '10:59:59', '11:00:00'].map((at) => secondsOf(`2026-03-05T${at}`))),
  );
  const idsOf = async (from: string, to: string) => {
    const reading = await spanOf(shop, `2026-03-05T${from}`, `2026-03-05T${to}`).read();
    return reading.kind === 'whole' ? reading.rows.map(({ orderId }) => Number(orderId)) : undefined;
  };
  expect(await idsOf('10:00', '11:00')).toEqual([1002, 1001]);
  expect(await idsOf('11:00', '12:00')).toEqual([1003]);
  expect(await idsOf('09:00', '10:00')).toEqual([1000]);
  expect(timeOf(secondsOf('2026-03-05T10:00')).toString()).toBe('2026-03-05T10:00:00');
});

test('a minute that shifts for ever is given up after five walks', async () => {
  const minute = secondsOf('2026-03-05T10:00');
  let id = 5000;
  const shop = new FakeShop(numbered(Array.from({ length: 12 }, (_, second) => minute + second)), {
    cap: 5,
    before: (moving) => moving.insert({ id: ++id, created: minute + 59 }),
  });
  const walk = spanOf(shop, '2026-03-05T10:00', '2026-03-05T10:01');
  const error = await rejection(walk.read());
  expect(error).toBeInstanceOf(DriftError);
  expect(error.message).toMatch(/2026-03-05T10:00:00 to 2026-03-05T10:01:00 shifted during each of 5 walks/);
  expect(shop.requests).toBe(10);
});
