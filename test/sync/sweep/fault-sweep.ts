/** Sweeps of a simulated shop by way of a proxy that makes requests fail. */
import type { Client } from 'pg';

import { createShopApi, type ShopApiOptions } from '../../../src/shop-api/shop-api.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import type { SweepResult } from '../../../src/sync/sweep/sweep-shop.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
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

export type FaultyShop = {
  readonly proxy: FaultProxy;
  /** A sweep of what is due, by a client of its own, six minutes after the one before. */
  readonly sweep: (limits?: Pick<ShopApiOptions, 'timeoutMs'>) => Promise<SweepResult>;
  readonly countMatching: () => Promise<number>;
  /** What differs between shop and warehouse. */
  readonly differences: () => Promise<readonly string[]>;
  /** What is wrong with the orders that are held: each must be as in the shop, its lines whole or still to come. */
  readonly halfWritten: () => Promise<readonly string[]>;
  /** How the books say that the sweeps ended, the last one last. */
  readonly runs: () => Promise<readonly { readonly status: string; readonly error: string | null }[]>;
};

/** @param days over which the orders are spread */
export async function withFaultyShop(
  orders: number,
  days: number,
  work: (shop: FaultyShop) => Promise<void>,
): Promise<void> {
  await using simulator = await startSimulator({ orders, days, now: PRESENT });
  await using proxy = await startFaultProxy(simulator.url);
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const sweep: FaultyShop['sweep'] = (limits) => {
      clock.pass({ minutes: 6 });
      const access = { baseUrl: proxy.url, login: 'admin', apiKey: 'simulated-key', maxRps: 100_000 };
      const api = createShopApi({ ...access, ...QUICK, ...limits });
      const means = { now: clock.now, through: () => withoutGroups(api) };
      return sweepOnce(simulator, db, { kind: 'backfill' }, { pageLimit: PAGE_LIMIT }, means);
    };
    const count = async (what: string) => {
      const { rows } = await client.query<{ found: number }>(`SELECT count(*)::int AS found FROM ${what}`);
      return rows[0]?.found ?? 0;
    };
    const halfWritten = async () => {
      const found = await differences(client, simulator.shop, { onlyFetchedLines: true });
      const orphans = await count(
        `tested.order_lines JOIN tested.orders USING (shop_id, order_id) WHERE lines_state <> 'ok'`,
      );
      const lines = orphans === 0 ? [] : [`${orphans} lines of orders whose lines are to come`];
      return [...found.filter((line) => !line.endsWith('is lost')), ...lines];
    };
    await work({
      proxy,
      sweep,
      countMatching: () => count('tested.orders'),
      differences: () => differences(client, simulator.shop),
      halfWritten,
      runs: () => runsOf(client),
    });
  });
}

async function runsOf(client: Client) {
  const { rows } = await client.query<{ status: string; error: string | null }>(
    'SELECT status, error FROM tested.runs ORDER BY run_id',
  );
  return rows;
}
