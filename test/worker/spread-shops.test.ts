import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { spreadShops } from '../../src/worker/spread-shops.ts';

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
