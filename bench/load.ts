/** How fast rows are written, beside the server's own writing of the same rows into the same tables. */
import { join } from 'node:path';

import type { Client } from 'pg';

import { analyzeGrownTables } from '../src/warehouse/ops/refresh-summaries.ts';
import { loadOrders } from '../src/warehouse/orders/load-orders.ts';
import { withClient } from '../test/support/database-clients.ts';
import { fetched, lineRow, orderToLoad } from '../test/support/rows.ts';
import { type Bench, roundsOr, sizeOr } from './support/benchmark.ts';
import { type BenchServer, openBenchServer } from './support/bench-server.ts';
import { count, percent } from './support/format.ts';
import { openWarehouse } from './support/open-warehouse.ts';
import { interleaved, median } from './support/statistics.ts';

const ORDERS = 10_000;
const PER_TRANSACTION = 100;
const LINES = 2;
const ROUNDS = 3;
const BUYERS = 2_000;
const FIRST_BUYER = 1_001;
/** Tables that a load fills, in the order of their foreign keys, with the order that a row comes with. */
const TABLES = [
  { name: 'core.users', key: `user_oid - ${FIRST_BUYER - 1}` },
  { name: 'core.orders', key: 'order_id' },
  { name: 'core.order_lines', key: 'order_id' },
  { name: 'raw.orders', key: 'order_id' },
  { name: 'raw.order_contents', key: 'order_id' },
] as const;

/** Writers within the server: by COPY of a file of its own, and by INSERT ... SELECT of a table of its own. */
type Writer = 'COPY' | 'INSERT ... SELECT';

export const load: Bench = {
  title: () => 'Writing',
  intro: (options) =>
    `${count(sizeOr(options, ORDERS))} orders of ${LINES} lines, with their history, raw responses and buyers, into empty tables, ${PER_TRANSACTION} orders per transaction, ` +
    'sequentially. The limit is COPY of the same rows into the same tables, with the same keys, indexes and triggers, in the same ' +
    'transactions and in one. The server reads the files itself, so nothing is sent over a connection. The goal is half the rate ' +
    'of COPY in the same transactions. INSERT ... SELECT within the server does not even parse text. The time of order-sync ' +
    `includes building and sending the parameters. Medians of ${roundsOr(options, ROUNDS)} alternating runs.`,
  columns: ['writer', 'orders a transaction', 'rows/s', 'order-sync has of it'],
  async run(options) {
    const orders = sizeOr(options, ORDERS);
    await using server = await openBenchServer();
    // Files that the server writes stay where its data is, and only go with a server of our own.
    const canCopy = server.name !== 'TEST_DATABASE_URL';
    const { rows: written, times } = await measure(server, orders, roundsOr(options, ROUNDS), canCopy);
    const rate = (name: string) => written / (median(times[name] ?? []) / 1_000);
    const rows = Object.keys(times).map((name) => {
      const [writer = '', size = ''] = name.split(', ');
      const share = writer === OWN ? '' : percent(rate(OWN_NAME) / rate(name));
      return [writer, size, count(rate(name)), share];
    });
    const notes = canCopy
      ? []
      : ['COPY was left out: it needs a server that the benchmark may start and remove.'];
    return { rows, notes };
  },
};

const OWN = 'order-sync';
const OWN_NAME = `${OWN}, ${PER_TRANSACTION}`;

async function measure(server: BenchServer, orders: number, rounds: number, canCopy: boolean) {
  // What is written, and from where the writers within the server take it again.
  await using source = await server.emptyDatabase();
  await loadAll(source.url, orders);
  const rows = await withClient(source.url, keepRows);
  const writers: readonly Writer[] = canCopy ? ['COPY', 'INSERT ... SELECT'] : ['INSERT ... SELECT'];
  const inServer = writers.flatMap((writer) =>
    [PER_TRANSACTION, orders].map((size) => ({
      name: `${writer}, ${size === orders ? 'all' : size}`,
      run: () => withClient(source.url, (client) => timeWriter(client, writer, orders, size)),
    })),
  );
  const contestants = {
    [OWN_NAME]: async () => {
      await using empty = await server.emptyDatabase();
      return await loadAll(empty.url, orders);
    },
    ...Object.fromEntries(inServer.map(({ name, run }) => [name, run])),
  };
  const times: Readonly<Record<string, readonly number[]>> = await interleaved(rounds, contestants);
  // Triggers write an entry of the history for each order.
  return { rows: rows + orders, times };
}

/** @returns milliseconds */
async function loadAll(url: string, orders: number): Promise<number> {
  await using warehouse = await openWarehouse(url);
  const { db, shopId } = warehouse;
  const chunks = Array.from({ length: orders / PER_TRANSACTION }, (_, chunk) =>
    Array.from({ length: PER_TRANSACTION }, (__, index) => orderOf(chunk * PER_TRANSACTION + index + 1)),
  );
  const began = performance.now();
  for (const [number, chunk] of chunks.entries()) {
    await db.transaction((tx) => loadOrders(tx, shopId, chunk));
    if (number % 10 === 0) await analyzeGrownTables(db);
  }
  return performance.now() - began;
}

/**
 * Writes the rows of a loaded database once more. The statistics of the emptied tables stay, so that its plans are the
 * best there are.
 *
 * @returns milliseconds
 */
async function timeWriter(client: Client, writer: Writer, orders: number, size: number): Promise<number> {
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  const folder = rows[0]?.data_directory ?? '';
  const transactions = Array.from({ length: Math.ceil(orders / size) }, (_, index) =>
    TABLES.map(({ name, key }) => {
      const [after, upTo] = [index * size, (index + 1) * size];
      const chunk = `SELECT * FROM ${keptName(name)} WHERE ${key} > ${after} AND ${key} <= ${upTo}`;
      const file = `'${join(folder, `bench-${index}-${name}`)}'`;
      return writer === 'COPY'
        ? { prepare: `COPY (${chunk}) TO ${file}`, write: `COPY ${name} FROM ${file}` }
        : { prepare: '', write: `INSERT INTO ${name} ${chunk}` };
    }),
  );
  for (const { prepare } of transactions.flat()) if (prepare !== '') await client.query(prepare);
  await client.query(`TRUNCATE ${TABLES.map(({ name }) => name).join(', ')} CASCADE`);
  const began = performance.now();
  for (const tables of transactions) {
    await client.query('BEGIN');
    for (const { write } of tables) await client.query(write);
    await client.query('COMMIT');
  }
  return performance.now() - began;
}

const keptName = (table: string) => `kept.${table.replace('.', '_')}`;

/** @returns how many there are */
async function keepRows(client: Client): Promise<number> {
  await client.query('CREATE SCHEMA kept');
  let kept = 0;
  for (const { name, key } of TABLES) {
    const table = keptName(name);
    const { rowCount } = await client.query(
      `CREATE TABLE ${table} AS SELECT * FROM ${name} WHERE ${key} > 0`,
    );
    await client.query(`CREATE INDEX ON ${table} ((${key}))`);
    await client.query(`ANALYZE ${table}`);
    kept += rowCount ?? 0;
  }
  return kept;
}

/** An order of two lines, on some day of three quarters of a year. */
export function orderOf(id: number) {
  const day = `2026-0${1 + (id % 9)}-${String(1 + (id % 28)).padStart(2, '0')}`;
  const buyer = String(FIRST_BUYER + ((id - 1) % BUYERS));
  const row = {
    created_on: day,
    created_local: `${day}T09:05:00`,
    created_at: Temporal.Instant.from(`${day}T08:05:00Z`),
  };
  const lines = Array.from({ length: LINES }, (_, index) => lineRow(String(id), index + 1));
  return orderToLoad(String(id), {
    row: { ...row, buyer_oid: buyer, customer_key: `u:${buyer}` },
    lines: fetched(lines),
  });
}
