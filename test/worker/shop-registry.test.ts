import { expect, test, vi } from 'vitest';

import { type WorkerShop, ShopRegistry } from '../../src/worker/shop-registry.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { complete, parseShop } from '../support/settings.ts';

const LOGGER = { debug: () => undefined, info: vi.fn(), warn: () => undefined };

test('a shop with new settings gets a client of its own, one whose settings stay keeps its client', async () => {
  await using simulator = await startSimulator({ orders: 1, days: 1 });
  const shopOf = (key: string, login = 'admin'): WorkerShop => ({
    ...parseShop({ ...complete, SHOP_URL: simulator.url, SHOP_LOGIN: login }),
    shopKey: key,
    apiKey: 'simulated-key',
  });
  const registry = new ShopRegistry(LOGGER);
  const configured = vi.fn();
  const attempted = vi.fn();
  registry.onConfigured(configured);
  registry.onAttempt((shop, { route, outcome }) => attempted(shop, route, outcome));
  registry.configure([shopOf('a'), shopOf('b'), shopOf('c')]);
  expect(configured.mock.calls).toEqual([[['a', 'b', 'c']]]);
  expect(LOGGER.info).toHaveBeenCalledWith({ shops: 3 }, 'shops configured');
  const [a, b] = registry.shops;
  registry.configure([shopOf('a'), shopOf('b', 'other'), shopOf('d')]);
  expect(configured.mock.lastCall).toEqual([['b', 'd']]);
  expect(registry.shops.map(({ shop }) => shop.shopKey)).toEqual(['a', 'b', 'd']);
  expect([registry.find('a')?.api === a?.api, registry.find('b')?.api === b?.api]).toEqual([true, false]);
  expect([registry.find('b')?.shop.login, registry.find('c')]).toEqual(['other', undefined]);
  await registry.find('d')?.api.listOrders({ start: 0, limit: 1 });
  expect(attempted.mock.calls).toEqual([['d', 'orders', 'ok']]);
});
