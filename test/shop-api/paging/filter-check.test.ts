/** What the dates of a request select by, and what follows where it is not the time of creation. */
import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/model/errors.ts';
import { rejection } from '../api-of.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { asked, knownAt, readOne } from './read-one.ts';

const numbered = (created: readonly number[]): readonly FakeOrder[] =>
  created.map((seconds, index) => ({ id: 1000 + index, created: seconds }));

test.each([
  ['created', 'long after'],
  ['updated', 'long after'],
  ['created', 'soon after'],
] as const)(
  'orders filtered by %s, and changed %s: what an order with an odd time means is found out',
  async (filter, when) => {
    const spread = Array.from({ length: 600 }, (_, index) => secondsOf('2026-02-20T08:00') + index * 3500);
    const minutes = when === 'long after' ? 9 * 1440 : 30;
    const orders = numbered(spread).map(({ id, created }) => ({
      id,
      created,
      updated: created + (id % 7 === 0 ? minutes * 60 + (id % 5) * 600 : 0),
      // The list shows one order at the midnight before it was placed.
      ...(id === 1216 ? { shown: secondsOf('2026-03-01T00:00') } : {}),
    }));
    const shop = new FakeShop(orders, { dateFilter: filter, cap: 50 });
    const known = knownAt('2026-03-01T18:00', '2026-03-01T19:00');
    const reading = readOne(shop, asked('2026-03-02T00:00', undefined), known);
    if (filter === 'updated') expect((await rejection(reading)).message).toMatch(/date of their last change/);
    else expect(await reading).toMatchObject({ kind: 'whole' });
  },
);

test('a shop whose filter is in the zone of `updated`, and not in that of `created`, is not refused', async () => {
  const orders = numbered(
    Array.from({ length: 600 }, (_, index) => secondsOf('2026-02-20T08:00') + index * 3500),
  ).map(({ id, created }) => ({ id, created, updated: created + 3 * 3600 }));
  const shop = new FakeShop(orders, { filterHours: 3, cap: 50 });
  const known = knownAt('2026-03-01T18:00', '2026-03-01T19:00');
  const reading = await readOne(shop, asked('2026-03-02T00:00', undefined), known);
  expect(reading.kind).toBe('whole');
});

test('orders that show a wrong date do not make a shop one that filters by the last change', async () => {
  const orders = numbered(
    Array.from({ length: 600 }, (_, index) => secondsOf('2026-02-20T08:00') + index * 3500),
  ).map(({ id, created }) => ({
    id,
    created,
    updated: created + (id % 3 === 0 ? 4 * 86_400 + (id % 5) * 600 : 3600),
    // Day and month the other way round.
    ...(id % 40 === 0 ? { shown: created + 60 * 86_400 + (id % 7) * 3600, updated: created + 3600 } : {}),
  }));
  const shop = new FakeShop(orders, { cap: 50 });
  const known = knownAt('2026-03-01T18:00', '2026-03-01T19:00');
  const reading = await readOne(shop, asked('2026-03-02T00:00', '2026-03-03T00:00'), known);
  expect(reading.kind).not.toBe('unproven');
});

const FEW = Array.from({ length: 30 }, (_, index): FakeOrder => {
  const created = secondsOf('2026-03-01T08:00') + index * 12 * 3600;
  return { id: 1000 + index, created, updated: created + 40 * 86_400 - index * 3 * 86_400 };
});
const DAY = asked('2026-03-05T00:00', '2026-03-06T00:00');
const NEAR = knownAt('2026-03-04T08:00', '2026-03-04T20:00', '2026-03-06T08:00', '2026-03-06T20:00');

async function readChanged(traits: FakeTraits, change: (row: object) => object = (row) => row) {
  const shop = new FakeShop(FEW, traits);
  const listOrders: typeof shop.listOrders = async (query) => {
    const page = await shop.listOrders(query);
    return { ...page, rows: page.rows.map((row) => ({ ...row, raw: { ...row.raw, ...change(row.raw) } })) };
  };
  return readOne({ listOrders }, DAY, NEAR);
}

test.each<[FakeTraits, RegExp]>([
  [{ dateFilter: 'ignored' }, /ignores date_from and date_to.*ask the platform/],
  [{ dateFilter: 'updated' }, /the date of their last change.*ask the platform/],
])('a shop that filters by anything but the time of creation is refused: %j', async (traits, message) => {
  for (const listOrder of ['desc', 'asc', 'shuffled'] as const) {
    for (const cap of [Infinity, 20]) {
      const error = await rejection(readChanged({ listOrder, cap, ...traits }));
      expect(error).toBeInstanceOf(TerminalError);
      expect(error.message).toMatch(message);
    }
  }
});

test('where no order shows which date it is filtered by, its days are left unverified, however long the list is', async () => {
  const reason = expect.stringMatching(
    /cannot be proven complete: the shop lists orders outside of the requested dates/,
  );
  for (const cap of [Infinity, 3]) {
    const reading = await readChanged({ dateFilter: 'updated', cap }, () => ({ updated: '' }));
    expect(reading).toMatchObject({ kind: 'unproven', reason });
  }
});
