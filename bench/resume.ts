/** How much of a load is asked for again after a process was killed in the middle of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

import { withClient } from '../test/support/database-clients.ts';
import { type Bench, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count } from './support/format.ts';
import { MAIN } from './support/measured-command.ts';
import { type ShopProcess, startShop } from './support/shop-process.ts';
import { measureRun } from './support/warehouse-runs.ts';

const ORDERS = 5_000;
const SHARES = [0.25, 0.5, 0.75];

export const resume: Bench = {
  title: () => 'After a kill',
  intro: (options) =>
    `A load of ${count(sizeOr(options, ORDERS))} orders, with 20 ms per response and 16 requests in flight, is killed by SIGKILL and started again. The ` +
    'minimum is one content request per order in both runs together. Contents requested twice had been fetched but not written ' +
    'when the process died.',
  columns: [
    'orders held',
    'contents asked before',
    'contents asked after',
    'asked twice',
    'lists asked after',
  ],
  async run(options) {
    const orders = sizeOr(options, ORDERS);
    await using server = await openBenchServer();
    await using shop = await startShop({ orders, latencyMs: 20 });
    const rows: string[][] = [];
    for (const share of SHARES) {
      await using database = await server.emptyDatabase();
      const { order: first = 0 } = await shop.requests();
      const held = await withClient(database.url, (client) =>
        killAt(orders * share, database.url, shop, client),
      );
      const { order: killed = 0 } = await shop.requests();
      const { result } = await measureRun('backfill', database.url, shop);
      const before = killed - first;
      rows.push([
        count(held),
        count(before),
        count(result.content_requests),
        count(before + result.content_requests - orders),
        count(result.list_requests),
      ]);
    }
    return { rows };
  },
};

/** @returns orders that the killed load left */
async function killAt(
  orders: number,
  databaseUrl: string,
  shop: ShopProcess,
  client: Client,
): Promise<number> {
  const env = { PATH: process.env['PATH'], ...shop.env, DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, [MAIN, 'backfill'], { env, stdio: 'ignore' });
  while ((await heldOrders(client)) < orders) await sleep(20);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return await heldOrders(client);
}

async function heldOrders(client: Client): Promise<number> {
  const made = await client.query(`SELECT to_regclass('core.orders') IS NOT NULL AS is_made`);
  if (made.rows[0]?.is_made !== true) return 0;
  return Number((await client.query('SELECT count(*) FROM core.orders')).rows[0].count);
}
