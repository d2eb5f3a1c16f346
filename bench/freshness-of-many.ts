/** How soon a change is seen in `bi.orders` where two workers sync many shops with the default settings. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

import { withClient } from '../test/support/database-clients.ts';
import type { BenchServer } from './support/bench-server.ts';
import { changeShop, type ManyShops, startShops } from './support/many-shops.ts';
import { MAIN } from './support/measured-command.ts';
import { postgresCpuMs, processCpuMs } from './support/process-cpu.ts';

export const SHOPS = 200;
const SIZE = { orders: 20, days: 20 };
const WORKERS = 2;
/** The first ticks after the load are not the steady state yet. */
const SETTLE_MS = 60_000;
const CHANGE_EVERY_MS = 200;
const POLL_MS = 200;
const AT_MOST_MS = 300_000;

export type Seen = { readonly waitMs: number; readonly sweepMs: number };

export type SeenInMany = {
  readonly placed: readonly Seen[];
  readonly changed: readonly Seen[];
  /** List requests of a shop in a minute. */
  readonly listRequests: number;
  /** CPU seconds in a minute, of both workers, of PostgreSQL and of the shops. */
  readonly cpu: { readonly workers: number; readonly postgres: number | undefined; readonly shops: number };
  readonly loadedInS: number;
};

/** @param forMs how long changes are made */
export async function measureMany(
  server: BenchServer,
  latencyMs: number,
  forMs: number,
): Promise<SeenInMany> {
  await using shops = await startShops(SHOPS, { ...SIZE, latencyMs });
  await using database = await server.emptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'order-sync-bench-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true }));
  const shopsFile = join(folder, 'shops.yaml');
  await writeFile(shopsFile, JSON.stringify({ shops: shops.urls.map(toEntry) }));
  const began = performance.now();
  const workers = Array.from({ length: WORKERS }, () => startWorker(database.url, shopsFile));
  stack.defer(() => stopAll(workers));
  return await withClient(database.url, async (client) => {
    await untilLoaded(client);
    const loadedInS = (performance.now() - began) / 1_000;
    await sleep(SETTLE_MS);
    const pids = workers.map(({ pid }) => pid ?? 0);
    const before = await readUsage(client, shops, pids);
    const { placed, changed } = await changeAndWatch(client, shops, forMs);
    const after = await readUsage(client, shops, pids);
    const minutes = (after.atMs - before.atMs) / 60_000;
    const seconds = (part: 'workers' | 'postgres' | 'shops') =>
      (after[part] - before[part]) / 1_000 / minutes;
    return {
      placed,
      changed,
      loadedInS,
      listRequests: (after.lists - before.lists) / SHOPS / minutes,
      cpu: {
        workers: seconds('workers'),
        // A server in a container does not show it.
        postgres: Number.isNaN(after.postgres) ? undefined : seconds('postgres'),
        shops: seconds('shops'),
      },
    };
  });
}

function toEntry(url: string, index: number) {
  const login = { login: 'admin', apiKey: 'simulated-key', timezone: 'Europe/Berlin' };
  // The first load is not what is measured.
  return { key: `shop-${index + 1}`, url, ...login, maxConcurrency: 16, maxRps: 100_000 };
}

function startWorker(databaseUrl: string, shopsFile: string): ChildProcess {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: databaseUrl,
    SHOPS_FILE: shopsFile,
    PORT: '0',
    LOG_LEVEL: 'warn',
  };
  return spawn(process.execPath, [MAIN, 'worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function stopAll(workers: readonly ChildProcess[]): Promise<void> {
  for (const worker of workers) worker.kill();
  const running = workers.filter(({ exitCode }) => exitCode === null);
  await Promise.all(running.map((worker) => once(worker, 'exit')));
}

async function untilLoaded(client: Client): Promise<void> {
  const end = performance.now() + AT_MOST_MS;
  for (;;) {
    await sleep(1_000);
    const { rows } = await client.query<{ is_there: boolean }>(
      `SELECT to_regclass('ops.shop_state') IS NOT NULL AS is_there`,
    );
    if (rows[0]?.is_there !== true) continue;
    const loaded = await client.query('SELECT FROM ops.shop_state WHERE completed_at IS NOT NULL');
    if (loaded.rowCount === SHOPS) return;
    if (performance.now() > end) throw new Error(`only ${loaded.rowCount} shops were loaded`);
  }
}

async function readUsage(client: Client, shops: ManyShops, workers: readonly number[]) {
  return {
    atMs: performance.now(),
    lists: await shops.listRequests(),
    workers: workers.reduce((sum, pid) => sum + (processCpuMs(pid) ?? 0), 0),
    postgres: (await postgresCpuMs(client)) ?? Number.NaN,
    shops: processCpuMs(shops.pid) ?? 0,
  };
}

type Pending = {
  readonly shop: number;
  readonly orderId: number;
  readonly status: string;
  readonly sinceMs: number;
  readonly isNew: boolean;
};

/** Changes shops at random until the time is over, and watches until everything was seen. */
async function changeAndWatch(client: Client, shops: ManyShops, forMs: number) {
  const pending = new Set<Pending>();
  const seen = { placed: [] as Seen[], changed: [] as Seen[] };
  const endMs = Date.now() + forMs;
  const toChange = await readNewestOrders(client);
  const changing = (async () => {
    while (Date.now() < endMs) {
      await sleep(CHANGE_EVERY_MS * 2 * Math.random());
      const known = Math.random() < 0.5 ? toChange.pop() : undefined;
      const shop = known?.shop ?? Math.floor(Math.random() * SHOPS);
      const url = shops.urls[shop] ?? '';
      const sinceMs = Date.now();
      const status = known?.status === 'A' ? 'N' : 'A';
      const { orderId } = known
        ? await changeShop(url, 'PATCH', `orders/${known.orderId}`, { status })
        : await changeShop(url, 'POST', 'orders', { status });
      pending.add({ shop, orderId, status, sinceMs, isNew: known === undefined });
    }
  })();
  while (Date.now() < endMs || pending.size > 0) {
    await sleep(POLL_MS);
    for (const { change, beganMs } of await readSeen(client, [...pending])) {
      pending.delete(change);
      const began = Math.max(change.sinceMs, beganMs);
      const timing = { waitMs: began - change.sinceMs, sweepMs: Date.now() - began };
      seen[change.isNew ? 'placed' : 'changed'].push(timing);
    }
    if (Date.now() > endMs + AT_MOST_MS) throw new Error(`${pending.size} changes were not seen`);
  }
  await changing;
  return seen;
}

/** Orders of days that are due every minute, in any order. */
async function readNewestOrders(client: Client) {
  const { rows } = await client.query<{ shop: number; orderId: number; status: string }>(`
    SELECT substr(shop_key, 6)::int - 1 AS shop, order_id::int AS "orderId", status_code AS status
    FROM core.orders JOIN core.shops s USING (shop_id)
    WHERE created_on >= (now() AT TIME ZONE s.timezone)::date - 1 ORDER BY random()`);
  return rows;
}

async function readSeen(client: Client, pending: readonly Pending[]) {
  const { rows } = await client.query<{ at: number; began: number | null }>(
    `SELECT p.at::int, (
       SELECT extract(epoch FROM max(started_at))::float8 * 1000 FROM ops.runs r WHERE r.shop_id = o.shop_id
     ) AS began
     FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS p (shop, order_id, status, at)
     JOIN core.shops s ON s.shop_key = p.shop
     JOIN bi.orders o ON o.shop_id = s.shop_id AND o.order_id = p.order_id AND o.status_code = p.status`,
    [
      pending.map(({ shop }) => `shop-${shop + 1}`),
      pending.map(({ orderId }) => orderId),
      pending.map(({ status }) => status),
    ],
  );
  return rows.flatMap(({ at, began }) => {
    const change = pending[at - 1];
    return change === undefined ? [] : [{ change, beganMs: began ?? 0 }];
  });
}
