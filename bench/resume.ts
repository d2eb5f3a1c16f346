/** How much of a load is asked for again after a process was killed in the middle of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { openBenchServer } from './database.ts';
import type { Report } from './support/report.ts';
import { startShop } from './support/shop-process.ts';
import { measureInto } from './support/warehouse-runs.ts';
import { Client } from 'pg';

const MAIN = join(import.meta.dirname, '../dist/main.js');
const ORDERS = 5_000;

export async function run(): Promise<Report> {
  await using server = await openBenchServer();
  await using shop = await startShop({ orders: ORDERS, latencyMs: 20 });
  const rows: string[][] = [];
  for (const share of [0.25, 0.5, 0.75]) {
    await using database = await server.emptyDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const env = { PATH: process.env['PATH'], ...shop.env, DATABASE_URL: database.url };
    const child = spawn(process.execPath, [MAIN, 'backfill'], { env, stdio: 'ignore' });
    const held = async () => {
      const { rows: found } = await client.query(`SELECT to_regclass('core.orders') IS NOT NULL AS made`);
      if (found[0]?.made !== true) return 0;
      return Number((await client.query('SELECT count(*) FROM core.orders')).rows[0].count);
    };
    while ((await held()) < ORDERS * share) await sleep(20);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const before = await held();
    await client.end();
    const { result } = await measureInto(database.url, shop);
    const repeated = result.content_requests - (ORDERS - before);
    rows.push([
      before.toLocaleString('en'),
      result.content_requests.toLocaleString('en'),
      String(repeated),
      String(result.list_requests),
    ]);
  }
  return {
    title: 'After a kill',
    intro: `A load of ${ORDERS.toLocaleString('en')} orders is killed, and begun again. An order that was fetched and not written is asked for again.`,
    columns: [
      'orders held',
      'contents asked after',
      'of these asked before they were held',
      'list requests after',
    ],
    rows,
  };
}
