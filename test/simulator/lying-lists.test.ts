import { expect, test } from 'vitest';

import type { Dialect } from '../../src/simulator/shop/dialect.ts';
import { type Simulator, startSimulator, type SimulatorOptions } from '../../src/simulator/server.ts';
import { filterTime, get, idsOf, NOW, type Row } from './client.ts';

function start(dialect: Partial<Dialect>, options: SimulatorOptions = {}): Promise<Simulator> {
  return startSimulator({ orders: 60, days: 30, now: NOW, dialect, ...options });
}

async function pages(sim: Simulator, count: number): Promise<readonly (readonly number[])[]> {
  const asked: (readonly number[])[] = [];
  for (let nth = 0; nth < count; nth += 1) asked.push(idsOf(await get(sim, '/orders', { limit: 20 })));
  return asked;
}

const newest = (sim: Simulator, count: number) =>
  sim.shop
    .orders()
    .map(({ orderId }) => orderId)
    .toReversed()
    .slice(0, count);

test('pages may be cut by bytes, and hold at least one row', async () => {
  await using sim = await start({ pages: 'bytes' }, { pageBytes: 4000 });
  const answer = await get(sim, '/orders', { limit: 50 });
  const held = idsOf(answer).length;
  expect(held).toBeGreaterThan(1);
  expect(held).toBeLessThan(50);
  expect(idsOf(answer)).toEqual(newest(sim, held));
  expect(Buffer.byteLength(answer.text)).toBeLessThan(4000 + 100);
  sim.pages.bytes = 10;
  expect(idsOf(await get(sim, '/orders'))).toEqual(newest(sim, 1));
  expect(idsOf(await get(sim, '/orders', { status: 'none such' }))).toEqual([]);
});

test('pages may be short by chance, repeatably', async () => {
  const lengths = async () => {
    await using sim = await start({ pages: 'random' });
    const asked = await pages(sim, 60);
    for (const page of asked) expect(page).toEqual(newest(sim, page.length));
    return asked.map((page) => page.length);
  };
  const seen = await lengths();
  expect(await lengths()).toEqual(seen);
  expect(seen.filter((length) => length === 20).length).toBeGreaterThan(30);
  expect(new Set(seen).size).toBeGreaterThan(3);
  expect(Math.min(...seen)).toBeGreaterThan(0);
});

test('a row may come twice, which pushes the last one off the page', async () => {
  await using sim = await start({ pages: 'repeats' });
  const asked = await pages(sim, 60);
  const repeated = asked.filter((page) => new Set(page).size < page.length);
  expect(repeated.length).toBeGreaterThan(5);
  expect(repeated.length).toBeLessThan(30);
  for (const page of asked) expect(page).toHaveLength(20);
  for (const page of repeated) expect([...new Set(page)]).toEqual(newest(sim, 19));
});

test('total may count this page, an earlier state, or nothing real', async () => {
  const total = async (sim: Simulator) =>
    ((await get(sim, '/orders', { limit: 7, date_from: '01-01-2020 00:00:00' })).json as Row)['total'];
  await using page = await start({ total: 'page' });
  expect(await total(page)).toBe(7);
  await using stale = await start({ total: 'stale' });
  stale.shop.insertOrder();
  expect(await total(stale)).toBe(60);
  stale.shop.setDialect({ total: 'stale' });
  expect(await total(stale)).toBe(61);
  await using random = await start({ total: 'random' });
  const seen = new Set<unknown>();
  for (let nth = 0; nth < 10; nth += 1) seen.add(await total(random));
  expect(seen.size).toBeGreaterThan(3);
});

test('a list may occasionally come back empty', async () => {
  await using sim = await start({ falseEmpties: 5, emptyAnswer: 'array' });
  const answers: string[] = [];
  for (let nth = 0; nth < 100; nth += 1) answers.push((await get(sim, '/orders')).text);
  const empty = answers.filter((text) => text === '{"orders":[],"total":0}');
  expect(empty.length).toBeGreaterThan(8);
  expect(empty.length).toBeLessThan(40);
  await using always = await start({ falseEmpties: 1 });
  expect(idsOf(await get(always, '/orders'))).toEqual([]);
});

const NOON = Temporal.PlainDateTime.from('2026-03-01T12:00');
const PLACES = [-86_400, -43_200, -43_201, -1, 0, 31, 60, 43_199, 43_200, 86_400];

test.each([
  [{ dateFrom: 'exclusive' }, [31, 60, 43_199, 43_200, 86_400]],
  [{ dateFrom: 'exclusive', datePrecision: 'minute' }, [60, 43_199, 43_200, 86_400]],
  [{ datePrecision: 'day' }, [-43_200, -1, 0, 31, 60, 43_199, 43_200, 86_400]],
  [{ dateFrom: 'exclusive', datePrecision: 'day' }, [43_200, 86_400]],
] as const)('date_from with %o finds %o', async (dialect, found) => {
  expect(await foundBy(dialect, 'date_from')).toEqual(found);
});

test.each([
  [{ datePrecision: 'day' }, [-86_400, -43_201, -43_200, -1, 0, 31, 60, 43_199]],
  [{ datePrecision: 'day', dateTo: 'exclusive' }, [-86_400, -43_201]],
] as const)('date_to with %o finds %o', async (dialect, found) => {
  expect(await foundBy(dialect, 'date_to')).toEqual(found);
});

/** Which orders, by their distance from noon in seconds, a filter at noon finds. */
async function foundBy(dialect: Partial<Dialect>, name: string): Promise<readonly number[]> {
  await using sim = await start({ ...dialect, listOrder: 'asc' }, { orders: 0 });
  const placed = PLACES.map((seconds) => ({
    seconds,
    orderId: sim.shop.insertOrder({ createdLocal: NOON.add({ seconds }) }).orderId,
  }));
  const ids = idsOf(await get(sim, '/orders', { [name]: filterTime(NOON) }));
  return ids.map((id) => placed.find(({ orderId }) => orderId === id)?.seconds ?? Number.NaN);
}

test('one date filter may do nothing without the other', async () => {
  await using sim = await start({ dateEnds: 'both' });
  const [from, to] = ['10-03-2026 00:00:00', '12-03-2026 00:00:00'];
  expect(idsOf(await get(sim, '/orders', { date_from: from }))).toHaveLength(60);
  expect(idsOf(await get(sim, '/orders', { date_to: to }))).toHaveLength(60);
  expect(idsOf(await get(sim, '/orders', { date_from: from, date_to: to })).length).toBeLessThan(30);
});

test.each(['', '00.00.0000'])(
  'an order dated "%s" is only in the list without dates',
  async (createdText) => {
    await using sim = await start({});
    const { orderId } = sim.shop.insertOrder({ createdText });
    const rows = (await get(sim, '/orders', { limit: 500 })).json as { orders: Row[] };
    expect(rows.orders.find((row) => row['order_id'] === orderId)).toMatchObject({ created: createdText });
    expect(idsOf(await get(sim, '/orders', { date_from: '01-01-1970 00:00:00', limit: 500 }))).toHaveLength(
      60,
    );
    expect(idsOf(await get(sim, '/orders', { date_to: '01-01-2100 00:00:00', limit: 500 }))).toHaveLength(60);
    sim.shop.editOrder(orderId, { createdText: null });
    expect(idsOf(await get(sim, '/orders', { date_to: '01-01-2100 00:00:00', limit: 500 }))).toContain(
      orderId,
    );
  },
);

test('an order may be dated in the future or long ago', async () => {
  await using sim = await start({});
  const [future, past] = ['2031-05-06T07:08', '1970-01-01T00:00'].map(
    (text) => sim.shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from(text) }).orderId,
  );
  expect(idsOf(await get(sim, '/orders', { date_from: '01-01-2031 00:00:00' }))).toEqual([future]);
  expect(idsOf(await get(sim, '/orders', { date_to: '01-01-1999 00:00:00' }))).toEqual([past]);
});
