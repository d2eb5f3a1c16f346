/** A shop whose contents can be told to be wrong, and what sweeps and commands make of them. */
import type { Client } from 'pg';
import { expect } from 'vitest';

import { parseFreshness } from '../../src/plan/days/freshness.ts';
import type { Dialect } from '../../src/simulator/shop/dialect.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { settingsFor } from '../support/command-line.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { jsonLines } from '../support/json-lines.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { inWarehouse, sweepOnce, withoutGroups } from '../support/sweep.ts';
import { differences } from '../support/truth.ts';

export type Shop = {
  readonly simulator: Simulator;
  readonly client: Client;
  readonly run: (...args: readonly string[]) => Promise<Result>;
  /** Requests for contents, and the document, of one command. */
  readonly asked: (...args: readonly string[]) => Promise<Result & { readonly contents: number }>;
  readonly differ: () => Promise<readonly string[]>;
  readonly doubtful: () => Promise<number>;
};
type Result = { readonly code: number; readonly document: Readonly<Record<string, unknown>> };

/** So few that their lines still show how the shop counts, even where half of them are cut. */
export const ORDERS = 75;
const SHOP_KEY = 'test';
const SECRET = 'a secret of the test, long enough';
const DAY_MS = 86_400_000;

/** A shop with orders of ten days, and no order in the warehouse. Every day is due at each command. */
export async function withShop(
  dialect: Partial<Dialect>,
  work: (shop: Shop) => Promise<void>,
  orders = ORDERS,
) {
  await using simulator = makeShopInProcess({ ...SIZE, orders, dialect });
  await withShopAt(simulator, work);
}

/** One that whole command lines can reach, beyond `sync` and `backfill`. */
export async function withShopOfCommands(dialect: Partial<Dialect>, work: (shop: Shop) => Promise<void>) {
  await using simulator = await startSimulator({ ...SIZE, orders: ORDERS, dialect });
  await withShopAt(simulator, work);
}

const SIZE = { days: 10, seed: 5 };

async function withShopAt(simulator: Simulator, work: (shop: Shop) => Promise<void>) {
  await inWarehouse(async ({ client, db, url }) => {
    const sweep = async (kind: 'sync' | 'backfill', force: boolean): Promise<Result> => {
      const given = {
        freshness: parseFreshness('*:1d'),
        linesMaxAgeMs: 1000 * DAY_MS,
        guestSecret: SECRET,
        shopKey: SHOP_KEY,
      };
      const means = { through: withoutGroups };
      const result = await sweepOnce(simulator, db, { kind, force }, given, means);
      return { code: result.status === 'ok' ? 0 : 3, document: result };
    };
    const command = async (args: readonly string[]): Promise<Result> => {
      const given = { FRESHNESS: '*:1d', PII_SECRET: SECRET, SHOP_KEY };
      const env = { ...settingsFor(simulator, url), ...given };
      const { code, stdout, stderr } = await runInProcess([...args, '--json'], env);
      expect(stderr).not.toMatch(/Error/);
      return { code, document: jsonLines(stdout)[0] as Result['document'] };
    };
    const run = async (...args: readonly string[]) => {
      await client.query(`UPDATE tested.days SET verified_at = verified_at - interval '2 days'`);
      const [kind] = args;
      return kind === 'sync' || kind === 'backfill' ? sweep(kind, args.includes('--force')) : command(args);
    };
    await work({
      simulator,
      client,
      run,
      async asked(...args) {
        simulator.requests.reset();
        const result = await run(...args);
        return { ...result, contents: simulator.requests.count('order') };
      },
      differ: () => differences(client, simulator.shop),
      async doubtful() {
        const { rows } = await client.query<{ orders: number }>(
          `SELECT count(*)::int AS orders FROM bi.data_quality
           WHERE shop = $1 AND problems LIKE '%lines contradict order%'`,
          [SHOP_KEY],
        );
        return rows[0]?.orders ?? 0;
      },
    });
  });
}
