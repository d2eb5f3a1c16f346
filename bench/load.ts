/** How fast rows are written, beside the server's own writing of the same rows into the same tables. */
import { Client } from 'pg';

import { openDatabase } from '../src/warehouse/db/database.ts';
import { loadOrders } from '../src/warehouse/orders/load-orders.ts';
import { runMigrations } from '../src/warehouse/db/run-migrations.ts';
import { registerShop } from '../src/warehouse/directory/registered-shops.ts';
import { analyzeGrownTables } from '../src/warehouse/db/statistics.ts';
import { fetched, lineRow, orderToLoad } from '../test/support/rows.ts';
import { type BenchServer, openBenchServer } from './database.ts';
import type { Report } from './support/report.ts';
import { interleaved, median } from './support/statistics.ts';
import { FIRST_STATE } from '../test/support/first-state.ts';

const ORDERS = 10_000;
const PER_TRANSACTION = 100;
const LINES = 2;
const ROUNDS = 3;
/** Orders, their lines, history, raw orders and raw contents. */
const ROWS = ORDERS * (LINES + 4);
const TABLES = [
  'core.users',
  'core.orders',
  'core.order_lines',
  'core.order_history',
  'raw.orders',
  'raw.order_contents',
];

export async function run(): Promise<Report> {
  await using server = await openBenchServer();
  const { loader, inServer } = await interleaved(ROUNDS, {
    loader: () => timeLoader(server),
    inServer: () => timeServer(server),
  });
  const rate = (times: readonly number[]) => ROWS / (median(times) / 1_000);
  return {
    title: 'Writing',
    intro:
      `${ORDERS.toLocaleString('en')} orders of ${LINES} lines into empty tables, ${PER_TRANSACTION} orders a transaction, one after another, beside ` +
      `INSERT ... SELECT of the same rows within the server, with the same keys, indexes and triggers, which has nothing to send or parse. Medians of ${ROUNDS} runs.`,
    columns: ['writer', 'rows/s', 'share'],
    rows: [
      ['order-sync', rate(loader).toFixed(0), `${((rate(loader) / rate(inServer)) * 100).toFixed(0)} %`],
      ['within the server', rate(inServer).toFixed(0), ''],
    ],
  };
}

async function timeLoader(server: BenchServer): Promise<number> {
  await using empty = await server.emptyDatabase();
  return await loadAll(empty.url);
}

/** @returns milliseconds */
async function loadAll(url: string): Promise<number> {
  await using database = await openDatabase(url);
  await runMigrations(database);
  const { db } = database;
  const shop = { shopKey: 'bench', baseUrl: 'https://bench.example', timezone: 'Europe/Berlin' };
  const shopId = await registerShop(db, shop, FIRST_STATE);
  const chunks = Array.from({ length: ORDERS / PER_TRANSACTION }, (_, chunk) =>
    Array.from({ length: PER_TRANSACTION }, (__, index) => orderOf(chunk * PER_TRANSACTION + index + 1)),
  );
  const began = performance.now();
  for (const [number, orders] of chunks.entries()) {
    await db.transaction((tx) => loadOrders(tx, shopId, orders));
    if (number % 10 === 0) await analyzeGrownTables(db);
  }
  return performance.now() - began;
}

async function timeServer(server: BenchServer): Promise<number> {
  await using empty = await server.emptyDatabase();
  await loadAll(empty.url);
  const client = new Client({ connectionString: empty.url });
  await client.connect();
  try {
    for (const table of TABLES)
      await client.query(`CREATE TABLE kept_${table.replace('.', '_')} AS TABLE ${table}`);
    await client.query(`TRUNCATE ${TABLES.join(', ')} CASCADE`);
    const began = performance.now();
    for (const table of TABLES)
      await client.query(`INSERT INTO ${table} SELECT * FROM kept_${table.replace('.', '_')}`);
    return performance.now() - began;
  } finally {
    await client.end();
  }
}

function orderOf(id: number) {
  const day = `2026-0${1 + (id % 9)}-${String(1 + (id % 28)).padStart(2, '0')}`;
  const buyer = String(1_001 + (id % 2_000));
  const row = { created_on: day, created_local: `${day}T09:05:00`, created_at: `${day}T08:05:00Z` };
  const lines = Array.from({ length: LINES }, (_, index) => lineRow(String(id), index + 1));
  return orderToLoad(String(id), {
    row: { ...row, buyer_oid: buyer, customer_key: `u:${buyer}` },
    lines: fetched(lines),
  });
}
