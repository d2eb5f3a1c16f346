import { expect, test, vi } from 'vitest';

import { type WorkerShop, ShopRegistry } from '../../src/worker/shop-registry.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { complete, parseShop } from '../support/settings.ts';

const LOGGER = { debug: () => undefined, info: vi.fn(), warn: () => undefined };

test('a shop with new settings gets a client and a time of its own, one whose settings stay keeps both', async () => {
  await using simulator = await startSimulator({ orders: 1, days: 1 });
  const shopOf = (key: string, login = 'admin'): WorkerShop => ({
    ...parseShop({ ...complete, SHOP_URL: simulator.url, SHOP_LOGIN: login }),
    shopKey: key,
    apiKey: 'simulated-key',
  });
  let hour = 10;
  const registry = new ShopRegistry(LOGGER, () => Temporal.Instant.from(`2026-03-10T${hour}:00:00Z`));
  const configured = vi.fn();
  const attempted = vi.fn();
  registry.onConfigured(configured);
  registry.onAttempt((shop, { route, outcome }) => attempted(shop, route, outcome));
  registry.configure([shopOf('a'), shopOf('b'), shopOf('c')]);
  expect(configured).toHaveBeenCalledOnce();
  expect(LOGGER.info).toHaveBeenCalledWith({ shops: 3 }, 'shops configured');
  const [a, b] = registry.shops;
  hour = 11;
  registry.configure([shopOf('a'), shopOf('b', 'other'), shopOf('d')]);
  expect(configured).toHaveBeenCalledTimes(2);
  expect(registry.shops.map(({ shop, since }) => [shop.shopKey, since.toString().slice(11, 13)])).toEqual([
    ['a', '10'],
    ['b', '11'],
    ['d', '11'],
  ]);
  expect([registry.find('a')?.api === a?.api, registry.find('b')?.api === b?.api]).toEqual([true, false]);
  expect([registry.find('b')?.shop.login, registry.find('c')]).toEqual(['other', undefined]);
  await registry.find('d')?.api.listOrders({ start: 0, limit: 1 });
  expect(attempted.mock.calls).toEqual([['d', 'orders', 'ok']]);
});
