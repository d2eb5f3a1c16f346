/** What partitions and a Citus cost: loads and views of the same shops on each. */
import { registerShop } from '../src/warehouse/directory/registered-shops.ts';
import { type Database, openDatabase } from '../src/warehouse/db/database.ts';
import { analyzeGrownTables, maintainSummaries } from '../src/warehouse/ops/refresh-summaries.ts';
import { runMigrations } from '../src/warehouse/db/migrations.ts';
import { loadOrders } from '../src/warehouse/orders/load-orders.ts';
import { CITUS_URL, distributeWarehouse } from '../test/citus/citus-warehouse.ts';
import { withClient } from '../test/support/database-clients.ts';
import { FIRST_STATE } from '../test/support/first-state.ts';
import { orderOf } from './load.ts';
import { type Bench, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count, seconds } from './support/format.ts';
import { partitionByShop } from './support/partition-tables.ts';

const ORDERS = 40_000;
const SHOPS = 8;
const PER_TRANSACTION = 100;
const WRITERS = 4;
const ROUNDS = 3;
const QUERIES = {
  "a shop's month": `SELECT * FROM bi.orders WHERE shop = 'shop-1' AND order_date >= '2026-09-01'`,
  'all days': 'SELECT * FROM bi.daily_sales',
  'a month of lines': `SELECT * FROM bi.order_lines WHERE order_date >= '2026-09-01'`,
  'all customers': 'SELECT * FROM bi.customers',
};

export const distribution: Bench = {
  title: () => 'Partitions and Citus',
  intro: (options) =>
    `${count(sizeOr(options, ORDERS))} orders of ${SHOPS} shops into empty tables, ${PER_TRANSACTION} orders per transaction: half of them by one writer, ` +
    `the rest by ${WRITERS} at once. Then the sums are computed, and views are read whole over one connection (fastest of ${ROUNDS}). Partitioned: orders, lines, ` +
    'history and raw answers, by a hash of the shop, in 16 partitions each. Citus: a coordinator and its worker nodes as in ' +
    '`CITUS_URL`; left out without it. Everything is on this machine, so more nodes share its cores instead of adding any.',
  columns: [
    'tables',
    'orders/s, 1 writer',
    `orders/s, ${WRITERS} writers`,
    'sums, s',
    ...Object.keys(QUERIES).map((name) => `${name}, ms`),
  ],
  async run(options) {
    const orders = sizeOr(options, ORDERS);
    await using server = await openBenchServer();
    const rows: string[][] = [];
    for (const tables of ['plain', 'partitioned']) {
      await using database = await server.emptyDatabase();
      await migrate(database.url);
      if (tables === 'partitioned') {
        await withClient(database.url, partitionByShop);
        await migrate(database.url);
      }
      rows.push([tables, ...(await measure(database.url, orders))]);
    }
    if (CITUS_URL !== undefined) {
      await distributeWarehouse(CITUS_URL);
      rows.push(['Citus', ...(await measure(CITUS_URL, orders))]);
    }
    return { rows };
  },
};

async function migrate(url: string): Promise<void> {
  await using database = await openDatabase(url, 1);
  await runMigrations(database);
}

async function measure(url: string, orders: number): Promise<readonly string[]> {
  await using database = await openDatabase(url, WRITERS);
  const { db } = database;
  const shopIds: number[] = [];
  for (let shop = 1; shop <= SHOPS; shop += 1) {
    const own = { shopKey: `shop-${shop}`, baseUrl: 'https://shop.example', timezone: 'Europe/Berlin' };
    shopIds.push(await registerShop(db, own, FIRST_STATE));
  }
  const [alone, together] = [shopIds.slice(0, SHOPS / 2), shopIds.slice(SHOPS / 2)];
  const perShop = orders / SHOPS;
  const rate = async (work: () => Promise<unknown>) => count(orders / 2 / ((await timedMs(work)) / 1_000));
  const one = await rate(async () => {
    for (const shopId of alone) await loadShop(database, shopId, perShop);
  });
  const many = await rate(() => Promise.all(together.map((shopId) => loadShop(database, shopId, perShop))));
  const sumsMs = await timedMs(() => maintainSummaries(db));
  const times: string[] = [];
  for (const query of Object.values(QUERIES)) {
    const runs: number[] = [];
    while (runs.length < ROUNDS) runs.push(await timedMs(() => database.query(query)));
    times.push(count(Math.min(...runs)));
  }
  return [one, many, seconds(sumsMs), ...times];
}

async function loadShop({ db }: Database, shopId: number, orders: number): Promise<void> {
  for (let first = 1; first <= orders; first += PER_TRANSACTION) {
    const chunk = Array.from({ length: PER_TRANSACTION }, (_, index) => orderOf(first + index));
    await db.transaction((tx) => loadOrders(tx, shopId, chunk));
    if (first % 1_000 === 1) await analyzeGrownTables(db);
  }
}

async function timedMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
