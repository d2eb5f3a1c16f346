import { expect, test } from 'vitest';

import { LoneFailures } from '../../src/http/retry.ts';
import type { ShopApiOptions } from '../../src/shop-api/shop-api.ts';
import { apiOf } from '../shop-api/api-of.ts';
import { answer, fail, startTimedShop } from '../shop-api/timed-shop.ts';

test('a request that fails again and again is alone, and so is the next one after ten answers', () => {
  const lone = new LoneFailures();
  const requests = Array.from({ length: 5 }, () => ({}));
  const isLone = (index: number) => lone.isLone(requests[index] ?? {});
  const answers = (count: number) => {
    for (let times = 0; times < count; times++) lone.recordAnswer();
  };
  expect([isLone(0), isLone(0)]).toEqual([true, true]);
  answers(9);
  expect([isLone(1), isLone(0), isLone(1)]).toEqual([false, true, true]);
  answers(9);
  expect(isLone(2), 'each failure begins to count anew').toBe(false);
  answers(10);
  expect([isLone(3), isLone(4)]).toEqual([true, false]);
});

test('a request that is refused again after ten answers is refused alone, unlike those of a limit', () => {
  const [lone, request, sooner] = [new LoneFailures(), {}, {}];
  expect([lone.isRefusedAlone(request), lone.isRefusedAlone(request)]).toEqual([false, false]);
  lone.recordAnswer();
  expect(lone.isRefusedAlone(sooner)).toBe(false);
  for (let times = 1; times < 10; times++) lone.recordAnswer();
  expect([{}, sooner, request].map((refused) => lone.isRefusedAlone(refused))).toEqual([false, false, true]);
});

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

test('an order that always answers HTTP 500 slows no other one down, and a shop that does so slows down', async () => {
  expect(await limitOf(500, (id) => id === 20)).toBeUndefined();
  expect(await limitOf(500, (id) => id === 20 || id === 60)).toBeUndefined();
  expect(await limitOf(500, (id) => id % 3 === 0)).toBe('failures');
  expect(await limitOf(502, (id) => id === 20)).toBe('failures');
  expect(await limitOf(503, (id) => id === 20), 'no limit is made of one order').not.toBe('rate');
});
