/** One sweep in this process: a real client, a real database, no command line. */
import { Client } from 'pg';

import { DEFAULT_FRESHNESS, parseFreshness } from '../../src/plan/freshness.ts';
import { createShopApi } from '../../src/shop-api/client.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import type { ShopSettings } from '../../src/sync/deps.ts';
import { type SweepRequest, type SweepResult, sweepShop } from '../../src/sync/sweep-shop.ts';
import { type Db, openDatabase } from '../../src/warehouse/database.ts';
import { freshDatabase } from './database.ts';

const DAY_MS = 86_400_000;

export type Opened = { readonly client: Client; readonly db: Db; readonly url: string };

/** A migrated database for the time of a test: `client` to look into it, `db` for the sweep. */
export async function inWarehouse(work: (opened: Opened) => Promise<void>): Promise<void> {
  await using fresh = await freshDatabase();
  await using database = await openDatabase(fresh.url);
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  try {
    await work({ client, db: database.db, url: fresh.url });
  } finally {
    await client.end();
  }
}

function testShop(simulator: Simulator, given: Partial<ShopSettings> = {}): ShopSettings {
  return {
    shopKey: 'test',
    baseUrl: simulator.url,
    timezone: 'Europe/Berlin',
    pageLimit: 500,
    historyFrom: undefined,
    freshness: parseFreshness(DEFAULT_FRESHNESS),
    linesMaxAgeMs: 7 * DAY_MS,
    usersMaxAgeMs: 7 * DAY_MS,
    groupsMaxAgeMs: DAY_MS,
    hashKey: 'test',
    ...given,
  };
}

/** @param given settings of the shop that differ from the defaults */
export async function sweepOnce(
  simulator: Simulator,
  db: Db,
  request: SweepRequest = { kind: 'backfill' },
  given: Partial<ShopSettings> = {},
): Promise<SweepResult> {
  const api = createShopApi({
    baseUrl: simulator.url,
    login: 'admin',
    apiKey: 'simulated-key',
    maxConcurrency: 8,
    maxRps: 100_000,
    retry: { firstPauseMs: 1, maxPauseMs: 5 },
  });
  const shop = testShop(simulator, given);
  const logger = { info: () => undefined, warn: () => undefined };
  const now = () => Temporal.Now.instant();
  const signal = new AbortController().signal;
  return sweepShop({ api, db, shop, logger, now, signal, version: 'test' }, request);
}
