import { expect, test } from 'vitest';

import type { ShopApiOptions } from '../../src/shop-api/shop-api.ts';
import { apiOf } from '../shop-api/api-of.ts';
import { answer, fail, startTimedShop } from '../shop-api/timed-shop.ts';

/** Asks for eighty orders, and returns what the pace was limited by in the end. */
async function limitOf(status: number, isBad: (id: number) => boolean) {
  await using shop = await startTimedShop((response, request) =>
    isBad(Number(request.url.split('/').at(-1))) ? fail(response, status) : answer(response, request),
  );
  const options: Partial<ShopApiOptions> = { clock: shop.clock, maxConcurrency: 8 };
  const api = apiOf(shop, options);
  const asked = Array.from({ length: 80 }, (_, index) => String(index + 1));
  await shop.clock.run(
    asked.map((id) => async () => void (await api.orderContent(id).catch(() => undefined))),
  );
  return api.health.limitedBy;
}

test('one order at which the shop fails slows no other one down, unless it is with what an overloaded shop answers', async () => {
  expect(await limitOf(500, (id) => id === 20)).toBeUndefined();
  expect(await limitOf(500, (id) => id % 3 === 0)).toBeUndefined();
  expect(await limitOf(502, (id) => id === 20)).toBe('failures');
  expect(await limitOf(503, (id) => id === 20), 'no limit is made of one order').not.toBe('rate');
  expect(await limitOf(429, (id) => id === 20)).not.toBe('rate');
});
