/** One sweep in this process: a real client, a real database, no command line. */
import { Client } from 'pg';

import { DEFAULT_FRESHNESS, parseFreshness } from '../../src/plan/days/freshness.ts';
import { createShopApi, type ShopApi, type ShopApiOptions } from '../../src/shop-api/shop-api.ts';
import type { Clock } from '../../src/http/clock.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import type { Logger, Progress, ShopContext, ShopSettings } from '../../src/sync/run/context.ts';

import { type SweepResult, sweepShop } from '../../src/sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../src/sync/sweep/sweep-request.ts';
import { type VerifyRequest, type VerifyResult, verifyShop } from '../../src/sync/verify/verify-shop.ts';
import { type Db, openDatabase } from '../../src/warehouse/db/database.ts';
import { findShop } from '../../src/warehouse/directory/registered-shops.ts';
import { freshDatabase } from './database.ts';
import { atFileEnd } from './file-end.ts';
import { poolTo } from './in-process-shop.ts';

const DAY_MS = 86_400_000;

/** Restricts a query to the shop of `sweepOnce`: others may be in the same database. */
export const OF_TEST_SHOP = "shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = 'test')";

export type Opened = { readonly client: Client; readonly db: Db; readonly url: string };

export type Warehouse = Opened & AsyncDisposable;

/** The one that the tests of this file share, while none of them uses it. */
let shared: Warehouse | undefined;

/**
 * A migrated database for the time of a test: `client` to look into it, `db` for the sweep. Connections that are used again are
 * what makes a sweep cheap, so the tests of a file take turns in one database, each with shops of its own. What an earlier test
 * left is not in `tested`, and counts as being deleted.
 */
export async function openShared(): Promise<Warehouse> {
  const warehouse = shared ?? (await openWarehouse());
  shared = undefined;
  const close = () => warehouse[Symbol.asyncDispose]();
  const putAway = async () => {
    const isReusable = await warehouse.client.query(PUT_AWAY).then(
      () => shared === undefined,
      () => false,
    );
    if (!isReusable) return close();
    shared = warehouse;
    atFileEnd(async () => {
      if (shared !== warehouse) return;
      shared = undefined;
      await close();
    });
  };
  return { ...warehouse, [Symbol.asyncDispose]: putAway };
}

export async function inWarehouse(work: (opened: Opened) => Promise<void>): Promise<void> {
  await using warehouse = await openShared();
  await work(warehouse);
}

/** As `inWarehouse`, in a database of its own: for what changes tables, or looks at all of them. */
export async function inOwnWarehouse(work: (opened: Opened) => Promise<void>): Promise<void> {
  await using warehouse = await openWarehouse();
  await work(warehouse);
}

const PUT_AWAY = `
  RESET ALL;
  UPDATE tested.shops SET shop_key = 'left-' || shop_id, base_url = 'https://left-' || shop_id || '.example',
    deletion_started_at = coalesce(deletion_started_at, now());
  UPDATE tested.earlier SET shop_id = (SELECT max(shop_id) FROM core.shops)`;

export async function openWarehouse(): Promise<Warehouse> {
  await using opening = new AsyncDisposableStack();
  const { url } = opening.use(await freshDatabase());
  const { db } = opening.use(await openDatabase(url, 4));
  const client = new Client({ connectionString: url });
  await client.connect();
  opening.defer(() => client.end());
  const opened = opening.move();
  return { client, db, url, [Symbol.asyncDispose]: () => opened.disposeAsync() };
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
    // Tests that count requests count those of the walk. With counts: test/sync/sweep/counts.
    countEveryMs: 0,
    guestSecret: 'test',
    ...given,
  };
}

export type Means = {
  /** @default the real time */
  readonly now?: (() => Temporal.Instant) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Stands between the sweep and the shop. */
  readonly through?: ((api: ShopApi) => ShopApi) | undefined;
  /** What the client's pauses go by. @default the real time */
  readonly clock?: Clock | undefined;
  /** Options of the client that differ from those of tests. */
  readonly client?: Partial<ShopApiOptions>;
  /** @default 8 */
  readonly maxConcurrency?: number | undefined;
  /** @default none */
  readonly logger?: Logger | undefined;
  /** How long runs are kept. @default for ever */
  readonly runsKeptMs?: number | undefined;
  /** `RAW_KEPT`. @default for ever */
  readonly rawKeptMs?: number | undefined;
  /** Receives a function that returns the progress. */
  readonly watch?: ((read: () => Progress) => void) | undefined;
  /** As a command does at its end. @default false, as in a worker, which does it once for all shops */
  readonly refreshesSummaries?: boolean;
};

/** A real client of the simulated shop, without throttle. */
export function clientOf(simulator: Simulator, { client, clock, maxConcurrency = 8 }: Means = {}): ShopApi {
  return createShopApi({
    ...(clock === undefined ? {} : { clock }),
    // Of the shops that write it without saying so.
    charset: 'windows-1251',
    baseUrl: simulator.url,
    pool: poolTo(simulator.url),
    login: 'admin',
    apiKey: 'simulated-key',
    maxConcurrency,
    maxRps: 100_000,
    retry: { firstPauseMs: 1, maxPauseMs: 5 },
    budget: { maxWaitMs: 5 },
    circuit: { firstProbeMs: 5, maxProbeMs: 20 },
    ...client,
  });
}

/** For `through`: the group tree takes more requests than a small shop's orders, which do not depend on it. */
export function withoutGroups(api: ShopApi): ShopApi {
  return { ...api, groups: async () => [] };
}

function contextOf(simulator: Simulator, db: Db, given: Partial<ShopSettings>, means: Means): ShopContext {
  const api = clientOf(simulator, means);
  return {
    api: means.through?.(api) ?? api,
    db,
    shop: testShop(simulator, given),
    logger: means.logger ?? { debug: () => undefined, info: () => undefined, warn: () => undefined },
    ...(means.runsKeptMs === undefined ? {} : { runsKeptMs: means.runsKeptMs }),
    rawKeptMs: means.rawKeptMs,
    now: means.now ?? (() => Temporal.Now.instant()),
    signal: means.signal ?? new AbortController().signal,
    version: 'test',
    refreshesSummaries: means.refreshesSummaries ?? false,
  };
}

/** @param given settings of the shop that differ from the defaults */
export async function sweepOnce(
  simulator: Simulator,
  db: Db,
  request: SweepRequest = { kind: 'backfill' },
  given: Partial<ShopSettings> = {},
  means: Means = {},
): Promise<SweepResult> {
  return sweepShop(contextOf(simulator, db, given, means), request, means.watch);
}

/** @param given settings of the shop that differ from the defaults */
export async function verifyOnce(
  simulator: Simulator,
  db: Db,
  request: VerifyRequest = { makeDue: false },
  given: Partial<ShopSettings> = {},
  means: Means = {},
): Promise<VerifyResult> {
  return verifyShop(contextOf(simulator, db, given, means), request);
}

/** The number of the shop that these sweeps load. */
export async function testedShopId(db: Db): Promise<number> {
  const found = await findShop(db, 'test');
  if (found === undefined) throw new Error('the shop is not registered yet');
  return found.shopId;
}

/** A clock that stands still until time is made to pass. */
export type TestClock = { readonly now: () => Temporal.Instant; pass(duration: Temporal.DurationLike): void };

export function testClock(start: Temporal.Instant): TestClock {
  let present = start;
  return {
    now: () => present,
    pass(duration) {
      present = present.add(duration);
    },
  };
}

/** A client's clock on which every pause is over at once. */
export function hastyClock(): Clock {
  let presentMs = 0;
  return {
    nowMs: () => presentMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      presentMs += ms;
      await Promise.resolve();
    },
  };
}
