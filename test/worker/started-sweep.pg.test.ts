import { pino } from 'pino';
import { expect, test, vi } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { ShopRegistry } from '../../src/worker/shop-registry.ts';
import { impatientShop } from '../support/impatient-shop.ts';
import { inOwnWarehouse } from '../support/sweep.ts';
import { until, within } from '../support/until.ts';
import { startWorker } from './running-worker.ts';

test('a sweep is started for who asks for one, unless one waits or runs', async () => {
  await using simulator = await startSimulator({ orders: 3, days: 1 });
  await inOwnWarehouse(async ({ db, url }) => {
    const logger = pino({ level: 'silent' });
    const registry = new ShopRegistry(logger);
    registry.configure([impatientShop(simulator.url)]);
    const api = registry.find('test')?.api;
    if (api === undefined) throw new Error('the shop is configured');
    const [begun, goesOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const listOrders = api.listOrders.bind(api);
    vi.spyOn(api, 'listOrders').mockImplementation(async (...query) => {
      begun.resolve(undefined);
      await goesOn.promise;
      return listOrders(...query);
    });
    await using worker = await startWorker({
      db,
      databaseUrl: url,
      registry,
      logger,
      // No tick comes while the test lasts.
      cron: '0 0 1 1 *',
      opsSync: true,
      opsPassword: 'secret',
    });
    const post = async () => {
      const headers = { authorization: `Basic ${btoa('ops:secret')}` };
      const answer = await fetch(`http://127.0.0.1:${worker.port}/shops/test/sync`, {
        method: 'POST',
        headers,
      });
      return ((await answer.json()) as { started: boolean }).started;
    };
    await post();
    await within('a sweep has begun', begun.promise);
    expect(await post(), 'it runs').toBe(false);
    goesOn.resolve(undefined);
    await until('it has ended, and another one is started', post);
    await using closed = await startWorker({ db, databaseUrl: url, registry, logger, cron: '0 0 1 1 *' });
    const method = 'POST';
    const refused = await fetch(`http://127.0.0.1:${closed.port}/shops/test/sync`, { method });
    expect(refused.status, 'of a worker that is not to start any').toBe(404);
  });
});
