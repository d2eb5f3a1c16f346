import { pino } from 'pino';
import { expect } from 'vitest';

import { test } from '../support/fixtures.ts';
import { ShopRegistry } from '../../src/worker/shop-registry.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { impatientShop } from '../support/impatient-shop.ts';
import { OF_TEST_SHOP } from '../support/sweep.ts';
import { until } from '../support/until.ts';
import { startWorker } from './running-worker.ts';

test('a shop that is added to a running worker is swept at once', async ({ own: { client, db, url } }) => {
  await using simulator = await startSimulator({ orders: 3, days: 1 });
  const logger = pino({ level: 'silent' });
  const registry = new ShopRegistry(logger);
  // No tick comes while the test lasts.
  await using _worker = await startWorker({ db, databaseUrl: url, registry, logger, cron: '0 0 1 1 *' });
  registry.configure([impatientShop(simulator.url)]);
  const loaded = async () =>
    (await client.query(`SELECT FROM core.orders WHERE ${OF_TEST_SHOP}`)).rows.length;
  await until('its three orders are loaded', async () => (await loaded()) === 3);
});

test.for([
  ['the key', { apiKey: 'a wrong one' }],
  ['the address', { baseUrl: 'http://127.0.0.1:1' }],
] as const)(
  'after %s of a shop was corrected, an old pause after failures delays nothing',
  async ([, wrong], { own: { db, url } }) => {
    await using simulator = await startSimulator({ orders: 8, days: 2 });
    const lines: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
    const registry = new ShopRegistry(logger);
    // Each sweep asks for its groups.
    const right = { ...impatientShop(simulator.url), groupsMaxAgeMs: 1 };
    const bad = { ...right, ...wrong };
    registry.configure([right]);
    const cron = '0 0 1 1 *';
    await using _worker = await startWorker({ db, databaseUrl: url, registry, logger, cron });
    const ended = (message: string) => lines.filter((line) => line.includes(message)).length;
    await until('it is loaded', () => ended('sweep ended') === 1);
    registry.configure([bad]);
    await until('it failed', () => ended('sweep failed') === 1);
    // Read again as they were, they are no others.
    registry.configure([{ ...bad }]);
    registry.configure([right]);
    await until('it is swept again', () => ended('sweep ended') === 2);
    expect(ended('sweep failed')).toBe(1);
  },
);
