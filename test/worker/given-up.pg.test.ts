import { expect, test } from 'vitest';

import { openDatabase } from '../../src/warehouse/db/database.ts';
import { openQueue } from '../../src/worker/queue.ts';
import { ShopRegistry } from '../../src/worker/shop-registry.ts';
import { impatientShop } from '../support/impatient-shop.ts';
import { inOwnWarehouse } from '../support/sweep.ts';
import { until } from '../support/until.ts';
import { startWorker } from './running-worker.ts';

const NOTHING_LISTENS = 'http://127.0.0.1:9';

test('a sweep whose workers died is in the findings of its shop, one that failed only in the log', async () => {
  await inOwnWarehouse(async ({ client, db, url }) => {
    const warnings: object[] = [];
    const warn = (data: object, message: string) => void warnings.push({ ...data, message });
    const logger = { debug: () => undefined, info: () => undefined, warn };
    for (const shop of ['died', 'failed']) {
      const values = [shop, `https://${shop}.example`];
      await client.query(
        'INSERT INTO core.shops (shop_key, base_url, timezone) VALUES ($1, $2, $$UTC$$)',
        values,
      );
    }
    await using database = await openDatabase(url, 1);
    await (await openQueue({ database, sweepDeadlineMs: 60_000, logger }))[Symbol.asyncDispose]();
    const failure = { name: 'SweepFailure', message: 'the sweep failed (RangeError)' };
    await client.query(
      `INSERT INTO order_sync_queue.job (name, data, output)
       VALUES ('order-sync-sweep-dead', '{"shopKey":"died"}', NULL), ('order-sync-sweep-dead', '{"shopKey":"failed"}', $1)`,
      [failure],
    );
    const registry = new ShopRegistry(logger);
    registry.configure([impatientShop(NOTHING_LISTENS)]);
    // Each takes one at once, and the next after half a minute.
    await using _one = await startWorker({ db, databaseUrl: url, registry, logger });
    await using _other = await startWorker({ db, databaseUrl: url, registry, logger });
    const givenUp = () => warnings.filter((each) => 'message' in each && each.message === 'sweep given up');
    await until('both are told of', async () => Promise.resolve(givenUp().length === 2));
    expect(givenUp()).toEqual(
      expect.arrayContaining([
        { shop: 'died', reason: expect.stringContaining('their workers died'), message: 'sweep given up' },
        { shop: 'failed', reason: failure.message, message: 'sweep given up' },
      ]),
    );
    const findings = async () => {
      const { rows } = await client.query(
        'SELECT shop_key AS shop, cause, detail FROM tested.findings JOIN core.shops USING (shop_id)',
      );
      return rows;
    };
    await until('it is recorded', async () => (await findings()).length > 0);
    expect(await findings()).toEqual([
      { shop: 'died', cause: 'crashes', detail: expect.stringContaining('not finished') },
    ]);
  });
});
