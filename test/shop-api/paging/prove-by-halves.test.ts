import { expect, test } from 'vitest';

import { isProvenByHalves } from '../../../src/shop-api/paging/prove-by-halves.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { local, pagingDeps } from './read-one.ts';

const DATES = { from: local('2026-03-05T00:00'), to: local('2026-03-06T00:00') };
const TRAITS: FakeTraits = { ignoresStart: true, cap: 10 };
const at = (...times: readonly string[]) =>
  times.map((time, index) => ({ id: index + 1, created: secondsOf(`2026-03-05T${time}`) }));

/** Whether the answer to the dates is proven, and by how many requests. */
async function prove(shop: FakeShop) {
  const { rows } = await shop.listOrders({ dateFrom: DATES.from, dateTo: DATES.to, limit: 500 });
  const isProven = await isProvenByHalves(pagingDeps(shop), DATES, rows);
  return { isProven, requests: shop.requests - 1 };
}

test('an answer is whole where its halves, each less than it, hold just the same, and it does again', async () => {
  expect(await prove(new FakeShop(at('08:00', '09:00', '10:00', '20:00'), TRAITS))).toEqual({
    isProven: true,
    requests: 3,
  });
  const exclusive = { ...TRAITS, dateFrom: 'exclusive', dateTo: 'exclusive' } as const;
  expect(await prove(new FakeShop(at('08:00', '09:00', '10:00', '20:00'), exclusive))).toMatchObject({
    isProven: true,
  });
});

test('a cut page is not: a half of it gains rows', async () => {
  const times = Array.from({ length: 14 }, (_, hour) => `${String(hour + 5).padStart(2, '0')}:30`);
  for (const sort of ['desc', 'asc', 'shuffled'] as const) {
    expect(await prove(new FakeShop(at(...times), { ...TRAITS, sort }))).toMatchObject({ isProven: false });
  }
});

test('two rows are halved between them, where there is room', async () => {
  expect(await prove(new FakeShop(at('08:00', '09:00'), TRAITS))).toMatchObject({ isProven: true });
  expect(await prove(new FakeShop(at('08:00', '08:04'), TRAITS))).toEqual({ isProven: false, requests: 0 });
});

test('rows of one minute cannot be halved', async () => {
  expect(await prove(new FakeShop(at('08:00:01', '08:00:30', '08:00:59'), TRAITS))).toEqual({
    isProven: false,
    requests: 0,
  });
});

test('halves of a shop that filters by whole days are no less than the whole, and prove nothing', async () => {
  const shop = new FakeShop(at('08:00', '09:00', '10:00', '20:00'), { ...TRAITS, precision: 'day' });
  expect(await prove(shop)).toMatchObject({ isProven: false });
});

test('a row twice, in a half or when the whole is asked for again, leaves the answer unproven', async () => {
  for (const request of [2, 3, 4]) {
    const shop = new FakeShop(at('08:00', '09:00', '10:00', '20:00'), TRAITS);
    const listOrders: typeof shop.listOrders = async (query) => {
      const page = await shop.listOrders(query);
      if (shop.requests !== request) return page;
      return { ...page, keys: page.keys.map(() => page.keys[0] ?? '') };
    };
    const { rows } = await shop.listOrders({ dateFrom: DATES.from, dateTo: DATES.to, limit: 500 });
    expect(await isProvenByHalves(pagingDeps({ listOrders }), DATES, rows)).toBe(false);
  }
});

test('an order that is placed or deleted meanwhile leaves the answer unproven', async () => {
  for (const move of ['insert', 'remove', 'replace'] as const) {
    const shop: FakeShop = new FakeShop(at('08:00', '09:00', '10:00', '20:00'), {
      ...TRAITS,
      before: (moving) => {
        if (moving.requests !== 2) return;
        if (move !== 'remove') moving.insert({ id: 9, created: secondsOf('2026-03-05T08:30') });
        if (move !== 'insert') moving.remove(1);
      },
    });
    expect(await prove(shop)).toMatchObject({ isProven: false });
  }
});
