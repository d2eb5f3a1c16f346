/** A simulated shop, a database behind a proxy, and the command line between them. */
import { Client } from 'pg';

import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/server.ts';
import { type Running, settingsFor, startCommand } from './command-line.ts';
import { type SweepResult } from '../../src/sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../src/sync/sweep/sweep-request.ts';
import { openDatabase } from '../../src/warehouse/db/database.ts';
import { parseFreshness } from '../../src/plan/days/freshness.ts';
import { freshDatabase } from './database.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { kill, type Watched } from './kill.ts';
import { sweepOnce } from './sweep.ts';
import { rowVersions } from './truth.ts';

/** The shop's time stands still, so that a seed gives the same shop on any day. */
const SHOP_NOW = Temporal.Instant.from('2025-06-01T20:00:00Z');
export const LAST_DAY = Temporal.PlainDate.from('2025-06-01');

export type Lab = Watched &
  AsyncDisposable & {
    /** Of the database itself, past the proxy. */
    readonly databaseUrl: string;
    /** Looks into the database, past the proxy. */
    readonly client: Client;
    /** Starts a backfill of the whole shop, by way of the proxy unless another URL is given. */
    backfill(options?: { readonly force?: boolean; readonly databaseUrl?: string }): Running;
    /** The same backfill in this process, which saves the start of another; past the proxy. */
    sweep(): Promise<SweepResult>;
  };

export type LabOptions = Omit<SimulatorOptions, 'now'> & {
  readonly days: number;
  /** Rows that the shop gives at most. */
  readonly pageLimit: number;
};

/** Nothing becomes due again while a test runs, however slow the machine is. */
const FRESHNESS = '*:30d';

export async function openLab({ pageLimit, ...options }: LabOptions): Promise<Lab> {
  await using opening = new AsyncDisposableStack();
  const simulator: Simulator = opening.use(
    await startSimulator({ ...options, pageCap: pageLimit, now: SHOP_NOW }),
  );
  const database = opening.use(await freshDatabase());
  const proxy = opening.use(await startDatabaseProxy(database.url));
  const client = new Client({ connectionString: database.url });
  await client.connect();
  opening.defer(() => client.end());
  const started: Running[] = [];
  // A test that fails leaves processes behind, some of them standing still.
  opening.defer(async () => void (await Promise.all(started.map(kill))));
  const opened = opening.move();
  const settings = {
    ...settingsFor(simulator, proxy.url),
    SHOP_KEY: 'test',
    PII_SECRET: 'test',
    FRESHNESS,
  };
  const from = LAST_DAY.subtract({ days: options.days });
  const range = ['--from', from.toString(), '--to', LAST_DAY.toString()];
  const request: SweepRequest = { kind: 'backfill', from, to: LAST_DAY };
  return {
    simulator,
    proxy,
    databaseUrl: database.url,
    client,
    backfill(given = {}) {
      const args = ['backfill', ...range, '--json', ...(given.force === true ? ['--force'] : [])];
      const running = startCommand(args, { ...settings, DATABASE_URL: given.databaseUrl ?? proxy.url });
      started.push(running);
      return running;
    },
    async sweep() {
      await using opened = await openDatabase(database.url);
      return await sweepOnce(simulator, opened.db, request, {
        freshness: parseFreshness(FRESHNESS),
      });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** As if the holder had not renewed the lease of the shop for long. Waits while a transaction holds the lease. */
export async function expireLease({ client }: Lab): Promise<void> {
  await client.query(`UPDATE tested.leases SET expires_at = now() - interval '1 second'`);
}

/**
 * A digest of all row versions that a sync writes under its lease: another one when any row was written.
 *
 * @param besides tables of `ops` to leave out: a living holder saves the shop's state with each heartbeat, and its figures now and then
 */
export async function writtenRows({ client }: Lab, besides: readonly string[] = []): Promise<string> {
  const others = ['runs', 'leases', ...besides].map((table) => `'${table}'`);
  return rowVersions(
    client,
    `schemaname IN ('core', 'raw') OR schemaname = 'ops' AND tablename NOT IN (${others.join(', ')})`,
  );
}

/** As if no day had been verified yet; the ledger keeps its counts. */
export async function makeAllDue({ client }: Lab): Promise<void> {
  await client.query('UPDATE tested.days SET verified_at = NULL');
}

/** When each verified day was verified. */
export async function verdicts({ client }: Lab): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ day: string; at: string }>(
    'SELECT day::text, verified_at::text AS at FROM tested.days WHERE verified_at IS NOT NULL',
  );
  return new Map(rows.map(({ day, at }) => [day, at]));
}
