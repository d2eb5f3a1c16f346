/** What the dates of a request select by, and what follows where it is not the time of creation. */
import { expect, test } from 'vitest';

import { TerminalError } from '../../../src/errors.ts';
import { rejection } from '../api-of.ts';
import { type FakeOrder, FakeShop, secondsOf } from './fake-shop.ts';
import { asked, knownAt, readOne } from './read-one.ts';

const numbered = (created: readonly number[]): readonly FakeOrder[] =>
  created.map((seconds, index) => ({ id: 1000 + index, created: seconds }));

test('a server that ignores the date filter is read as a whole where that is short, and refused where it is not', async () => {
  const spread = Array.from({ length: 600 }, (_, index) => secondsOf('2026-02-20T08:00') + index * 3500);
  const known = knownAt('2026-03-01T08:00', '2026-03-01T09:00', '2026-03-04T08:00', '2026-03-04T09:00');
  const day = asked('2026-03-02T00:00', '2026-03-03T00:00');
  for (const traits of [{ sort: 'desc' }, { sort: 'asc', total: 'all' }] as const) {
    const long = new FakeShop(numbered(spread), { ignoresDates: true, cap: 50, ...traits });
    const error = await rejection(readOne(long, day, known));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error.message).toMatch(/ignores date_from and date_to.*ask the platform/);
    const short = new FakeShop(numbered(spread), { ignoresDates: true, cap: 500, ...traits });
    expect(await readOne(short, day, known)).toMatchObject({ kind: 'whole', rows: { length: 25 } });
  }
});

test.each([
  ['created', 'long after'],
  ['updated', 'long after'],
  ['created', 'soon after'],
  ['updated', 'soon after'],
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
    const shop = new FakeShop(orders, { filter, cap: 50 });
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
  const shop = new FakeShop(orders, { shiftHours: -3, cap: 50 });
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
  expect(reading.kind).toBe('whole');
});
