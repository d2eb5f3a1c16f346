/** What it takes to find changes anywhere in a long history, by what the shop counts. */
import type { Client } from 'pg';

import { startSimulator, type Simulator } from '../src/simulator/server.ts';
import { openDatabase } from '../src/warehouse/db/database.ts';
import { runMigrations } from '../src/warehouse/db/migrations.ts';
import { withClient } from '../test/support/database-clients.ts';
import { sweepOnce, testClock, withoutGroups } from '../test/support/sweep.ts';
import { type Bench, sizeOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count } from './support/format.ts';

const ORDERS = 200_000;
const DAYS = 1_826;
const [EDITS, DELETIONS] = [20, 10];
const PAGES = [100, 1_000];
const COUNTS = 60_000;
const COUNTS_AN_HOUR = 60;

export const anywhere: Bench = {
  title: () => 'Changes anywhere in the history',
  intro: (options) =>
    `A shop of ${count(sizeOr(options, ORDERS))} orders in five years is loaded; then one \`sync\` a minute. First nothing changes, then ` +
    `${EDITS} orders change their status and ${DELETIONS} are deleted, scattered over all that time. Requests are those of a \`sync\`, and ` +
    'those per change beyond a quiet one. The goals are that two syncs know all changes, 40 requests for a quiet one, and 15 more a ' +
    'change. Reading the whole list takes as many requests as there are pages, and as many orders.',
  columns: [
    'rows a page',
    'pages of the list',
    'quiet sync',
    'an hour',
    'sync after the changes',
    'list requests a change',
    'with contents',
    'found by the first sync',
    'by the second',
  ],
  async run(options) {
    const orders = sizeOr(options, ORDERS);
    const now = Temporal.Now.instant();
    await using server = await openBenchServer();
    await using database = await server.emptyDatabase();
    await using opened = await openDatabase(database.url);
    await runMigrations(opened);
    await using simulator = await startSimulator({ orders, days: DAYS, now });
    const clock = testClock(now);
    const means = { now: clock.now, through: withoutGroups, maxConcurrency: 16 };
    await sweepOnce(simulator, opened.db, { kind: 'backfill' }, { pageLimit: 1_000 }, means);
    const rows: string[][] = [];
    const failures: string[] = [];
    for (const pageLimit of PAGES) {
      const sync = async () => {
        clock.pass({ minutes: 1 });
        simulator.requests.reset();
        await sweepOnce(simulator, opened.db, { kind: 'sync' }, { pageLimit, countEveryMs: COUNTS }, means);
        return { lists: simulator.requests.count('orders'), contents: simulator.requests.count('order') };
      };
      await sync();
      const quiet = await sync();
      const changed = change(simulator, pageLimit);
      const first = await sync();
      const found = await known(database.url, simulator, changed);
      await sync();
      const later = await known(database.url, simulator, changed);
      const more = first.lists - quiet.lists;
      const all = more + first.contents;
      rows.push([
        count(pageLimit),
        count(orders / pageLimit),
        count(quiet.lists),
        count(quiet.lists * COUNTS_AN_HOUR),
        count(first.lists + first.contents),
        (more / changed.length).toFixed(1),
        (all / changed.length).toFixed(1),
        `${found} of ${changed.length}`,
        `${later} of ${changed.length}`,
      ]);
      if (later !== changed.length) failures.push(`${pageLimit} rows a page: not every change was found`);
    }
    return { rows, failures };
  },
};

/** Changes orders that no earlier round changed. @returns their ids */
function change({ shop }: Simulator, salt: number): readonly number[] {
  const orders = shop.orders();
  const picked = Array.from({ length: EDITS + DELETIONS }, (_, index) => {
    const part = (index + 0.5) / (EDITS + DELETIONS) + salt / 100_000;
    return orders[Math.floor(part * 0.98 * orders.length)];
  }).flatMap((order) => order ?? []);
  picked.forEach((order, index) => {
    if (index % 3 === 2) shop.deleteOrder(order.orderId);
    else shop.editOrder(order.orderId, { status: order.status === 'F' ? 'R' : 'F' });
  });
  return picked.map(({ orderId }) => orderId);
}

/** How many of the changes the warehouse knows. */
async function known(url: string, { shop }: Simulator, ids: readonly number[]): Promise<number> {
  return withClient(url, async (client: Client) => {
    const { rows } = await client.query<{ id: string; status: string; is_gone: boolean }>(
      `SELECT order_id AS id, status_code AS status, missing_since IS NOT NULL AS is_gone FROM core.orders
       WHERE shop_id = 1 AND order_id = ANY ($1)`,
      [ids],
    );
    return rows.filter(({ id, status, is_gone: isGone }) => {
      const order = shop.order(Number(id));
      return order === undefined ? isGone : order.status === status && !isGone;
    }).length;
  });
}
