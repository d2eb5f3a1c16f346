/** A shop that is never still while it is read, by order-sync, by a plain script and by dlt: what each has wrong afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Random } from '../src/simulator/shop/random.ts';
import { withClient } from '../test/support/database-clients.ts';
import { openBenchServer } from './support/bench-server.ts';
import { type Bench, sizeOr } from './support/benchmark.ts';
import { count } from './support/format.ts';
import { MAIN, runMeasured } from './support/measured-command.ts';
import { installDlt, runDlt, runScript } from './support/peer-commands.ts';
import { type ShopProcess, startShop } from './support/shop-process.ts';

const ORDERS = 3_000;
const LATENCY_MS = 20;
const CHANGE_EVERY_MS = 100;

/** Days that moved while they were read are left to the next pass. */
const PARTIAL = 3;

type Env = Readonly<Record<string, string>>;

type Reader = {
  readonly name: string;
  /** The first pass, and the one after it. */
  readonly passes: readonly ((env: Env) => Promise<unknown>)[];
  /** Its live orders: `id`, `status`, and `sum` as text. */
  readonly select: string;
};

type Row = { readonly id: string; readonly status: string; readonly sum: string | null };

const OWN: Reader = {
  name: 'order-sync',
  passes: [['backfill'], ['backfill', '--force']].map(
    (args) => (env: Env) => runMeasured(args, env, MAIN, [PARTIAL]),
  ),
  select: `SELECT order_id::text AS id, status_code AS status, order_sum::text AS sum FROM core.orders
    WHERE missing_since IS NULL AND deleted_at IS NULL`,
};

const SCRIPT: Reader = {
  name: 'a plain script',
  passes: [runScript, runScript],
  select: `SELECT order_id::text AS id, status, sum::numeric(14, 2)::text AS sum FROM orders`,
};

const DLT: Reader = {
  name: 'dlt',
  passes: [runDlt, runDlt],
  select: `SELECT order_id::text AS id, status, nullif(summ::text, '')::numeric(14, 2)::text AS sum FROM shop.orders`,
};

export const exactness: Bench = {
  title: () => 'Exactness',
  intro: (options) =>
    `${count(sizeOr(options, ORDERS))} orders, ${LATENCY_MS} ms a response, 16 requests in flight. While a reader loads the shop for the first ` +
    `time, every ${CHANGE_EVERY_MS} ms an order is placed, another one changes its status, and another one is deleted. Then the ` +
    'shop stands still, its tables are compared with it, and the reader runs a second time: order-sync by `backfill --force`, the others ' +
    'in full, since the list can neither be asked for changes nor for deletions. The goal is that nothing is wrong after the second pass.',
  columns: ['reader', 'pass', 'requests', 'lost orders', 'deleted orders still there', 'out of date'],
  async run(options) {
    const readers = installDlt() ? [OWN, SCRIPT, DLT] : [OWN, SCRIPT];
    await using server = await openBenchServer();
    const rows: (readonly string[])[] = [];
    for (const reader of readers) {
      await using shop = await startShop({ orders: sizeOr(options, ORDERS), latencyMs: LATENCY_MS });
      await using database = await server.emptyDatabase();
      const env = { ...shop.env, DATABASE_URL: database.url };
      let asked = 0;
      for (const [pass, read] of reader.passes.entries()) {
        await (pass === 0 ? whileMoving(shop, () => read(env)) : read(env));
        const requests = Object.values(await shop.requests()).reduce((sum, some) => sum + some, 0);
        const wrong = await compare(shop, database.url, reader.select);
        rows.push([reader.name, String(pass + 1), count(requests - asked), ...wrong.map(count)]);
        asked = requests;
      }
    }
    return { rows };
  },
};

/** Changes the shop, always in the same way, for as long as the work takes. */
async function whileMoving(shop: ShopProcess, work: () => Promise<unknown>): Promise<void> {
  const random = new Random(20_261_122, 'exactness');
  const ids = (await shop.truth()).map(({ orderId }) => orderId);
  const take = () => ids.splice(random.below(ids.length), 1)[0] ?? 0;
  const done = new AbortController();
  const moving = (async () => {
    while (!done.signal.aborted) {
      await shop.change('DELETE', `orders/${take()}`);
      await shop.change('PATCH', `orders/${ids[random.below(ids.length)]}`);
      await shop.change('POST', 'orders');
      await sleep(CHANGE_EVERY_MS);
    }
  })();
  try {
    await work();
  } finally {
    done.abort();
    await moving;
  }
}

/** @returns orders that are lost, that the shop has no more, and whose status or sum is another */
async function compare(shop: ShopProcess, url: string, select: string): Promise<readonly number[]> {
  const held = await withClient(url, async (client) => (await client.query<Row>(select)).rows);
  const truth = new Map((await shop.truth()).map((order) => [String(order.orderId), order]));
  const extra = held.filter(({ id }) => !truth.has(id));
  const isStale = ({ id, status, sum }: Row) => {
    const order = truth.get(id);
    return order !== undefined && (order.status !== status || order.sum !== sum);
  };
  return [truth.size - (held.length - extra.length), extra.length, held.filter(isStale).length];
}
