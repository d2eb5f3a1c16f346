/** Sweeps of one simulated shop into one database, each by a proxy and a shop key of its own. */
import type { Client } from 'pg';

import { createShopApi, type ShopApiOptions } from '../../../src/shop-api/shop-api.ts';
import type { SimulatedShop } from '../../../src/simulator/shop/simulated-shop.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import type { SweepResult } from '../../../src/sync/sweep/sweep-shop.ts';
import { type Db, openDatabase } from '../../../src/warehouse/db/database.ts';
import { withClient } from '../../support/database-clients.ts';
import { freshDatabase } from '../../support/database.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { sweepOnce, type TestClock, testClock, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';
import { PRESENT } from '../../support/shop.ts';

/** Small, so that a sweep has many windows to be caught in. */
const PAGE_LIMIT = 3;
const MOST_IN_WINDOW = 17;
/** Orders that may have been asked for before any is written: three windows are in flight at once. */
export const MOST_UNWRITTEN = 3 * MOST_IN_WINDOW + 1;
const QUICK: Pick<ShopApiOptions, 'retry' | 'circuit'> = {
  retry: { firstPauseMs: 1, maxPauseMs: 5, maxRefusals: 0 },
  circuit: { firstProbeMs: 20, maxProbeMs: 40 },
};

/** List requests of a sweep's windows, and no others. */
export const WINDOWS = new RegExp(`^/adm/api/orders\\?(.*&)?limit=${PAGE_LIMIT}(&|$)`);

export type Ground = { readonly simulator: Simulator; readonly db: Db; readonly databaseUrl: string };
export type OpenGround = Ground & AsyncDisposable;

/** One shop and one database for all. @param days over which the orders are spread */
export async function openGround(orders: number, days: number): Promise<OpenGround> {
  await using opening = new AsyncDisposableStack();
  const simulator = opening.use(await startSimulator({ orders, days, now: PRESENT }));
  const { url } = opening.use(await freshDatabase());
  const { db } = opening.use(await openDatabase(url, 4));
  const opened = opening.move();
  return { simulator, db, databaseUrl: url, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export type FaultyShop = {
  readonly proxy: FaultProxy;
  /** A sweep of what is due, by a client of its own, six minutes after the one before. */
  readonly sweep: (limits?: Pick<ShopApiOptions, 'timeoutMs'>) => Promise<SweepResult>;
  readonly pass: TestClock['pass'];
  readonly held: () => Promise<Held>;
  /** What differs between shop and warehouse. */
  readonly differences: () => Promise<readonly string[]>;
  /** What is wrong with the orders that are held: each must be as in the shop, its lines whole or still to come. */
  readonly halfWritten: () => Promise<readonly string[]>;
  /** How the books say that the sweeps ended, the last one last. */
  readonly runs: () => Promise<readonly Run[]>;
};

/** The shop by way of a proxy of its own, kept in the warehouse under a key of its own. */
export async function withFaultyShop<Result>(
  { simulator, db, databaseUrl }: Ground,
  shopKey: string,
  work: (shop: FaultyShop) => Promise<Result>,
): Promise<Result> {
  await using proxy = await startFaultProxy(simulator.url);
  const clock = testClock(PRESENT);
  const sweep: FaultyShop['sweep'] = (limits) => {
    clock.pass({ minutes: 6 });
    const api = createShopApi({
      baseUrl: proxy.url,
      login: 'admin',
      apiKey: 'simulated-key',
      maxRps: 100_000,
      ...QUICK,
      ...limits,
    });
    // A proxy may get the port of an earlier one, and one address is one shop.
    const baseUrl = `http://shop.example/${encodeURIComponent(shopKey)}`;
    const settings = { shopKey, baseUrl, pageLimit: PAGE_LIMIT };
    const means = { now: clock.now, through: () => withoutGroups(api) };
    return sweepOnce(simulator, db, { kind: 'backfill' }, settings, means);
  };
  return await withClient(databaseUrl, (client) =>
    work({
      proxy,
      sweep,
      pass: (duration) => clock.pass(duration),
      held: () => heldOf(client, shopKey),
      differences: () => differences(client, simulator.shop, { shopKey }),
      halfWritten: () => halfWritten(client, simulator.shop, shopKey),
      runs: () => runsOf(client, shopKey),
    }),
  );
}

type Held = { readonly orders: number; readonly whole: number; readonly linesOfOthers: number };

/** Orders that are held, those of them with their lines, and lines of orders that claim to have none yet. */
async function heldOf(client: Client, shopKey: string): Promise<Held> {
  const { rows } = await client.query<Held>(
    `SELECT count(*)::int AS orders, count(*) FILTER (WHERE lines_state = 'ok')::int AS whole,
       coalesce(sum((SELECT count(*) FROM tested.order_lines l WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id))
         FILTER (WHERE lines_state <> 'ok'), 0)::int AS "linesOfOthers"
     FROM tested.orders o JOIN tested.shops s USING (shop_id) WHERE s.shop_key = $1`,
    [shopKey],
  );
  return rows[0] ?? { orders: 0, whole: 0, linesOfOthers: 0 };
}

async function halfWritten(client: Client, shop: SimulatedShop, shopKey: string): Promise<readonly string[]> {
  const found = await differences(client, shop, { shopKey, onlyFetchedLines: true });
  const { linesOfOthers } = await heldOf(client, shopKey);
  const orphans = linesOfOthers === 0 ? [] : [`${linesOfOthers} lines of orders whose lines are to come`];
  return [...found.filter((line) => !line.endsWith('is lost')), ...orphans];
}

type Run = { readonly status: string; readonly error: string | null };

async function runsOf(client: Client, shopKey: string): Promise<readonly Run[]> {
  const { rows } = await client.query<Run>(
    `SELECT r.status, r.error FROM tested.runs r JOIN tested.shops s USING (shop_id) WHERE s.shop_key = $1 ORDER BY run_id`,
    [shopKey],
  );
  return rows;
}
