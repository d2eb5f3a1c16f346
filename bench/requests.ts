/** How many requests a load makes, and a sync that finds nothing changed. */
import type { Client } from 'pg';

import { withClient } from '../test/support/database-clients.ts';
import { type Bench, sizesOr } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { count } from './support/format.ts';
import { forgetAudit, makeDue } from './support/ledger.ts';
import { type ShopProcess, startShop } from './support/shop-process.ts';
import { measureRun } from './support/warehouse-runs.ts';

const SIZES = [500, 5_000, 20_000];

export const requests: Bench = {
  title: () => 'Requests',
  intro: () =>
    "An initial load of 180 days: the minimum is one request for each order's lines, and the goal is at most 1.02 per order, " +
    'including all lists. Buyers and groups are requested once each, and do not count. Then, with nothing changed, a `sync` of one ' +
    'due day, for which the minimum is two requests, because one page alone proves nothing; of all days; and of one day with the ' +
    'weekly audit, which reads the list without dates. Counts, which come by the clock, are off. A page holds 500 rows.',
  columns: [
    'orders',
    'lists',
    'contents',
    'requests/order',
    'buyers',
    'groups',
    'sync: one day',
    'sync: all days',
    'sync: one day, audit',
  ],
  async run(options) {
    await using server = await openBenchServer();
    const rows: string[][] = [];
    for (const orders of sizesOr(options, SIZES)) {
      await using shop = await startShop({ orders });
      await using database = await server.emptyDatabase();
      const { result } = await measureRun('backfill', database.url, shop);
      const { list_requests: lists, content_requests: contents, user_requests: buyers } = result;
      rows.push([
        count(orders),
        count(lists),
        count(contents),
        ((lists + contents) / orders).toFixed(3),
        count(buyers),
        count(result.requests - lists - contents - buyers),
        ...(await unchangedSyncs(database.url, shop)),
      ]);
    }
    return { rows };
  },
};

async function unchangedSyncs(databaseUrl: string, shop: ShopProcess): Promise<readonly string[]> {
  const preparations: readonly ((client: Client) => Promise<void>)[] = [
    (client) => makeDue(client, 'newest'),
    (client) => makeDue(client, 'all'),
    async (client) => {
      await makeDue(client, 'newest');
      await forgetAudit(client);
    },
  ];
  const uncounted = { ...shop, env: { ...shop.env, COUNT_EVERY: 'off' } };
  const counts: string[] = [];
  for (const prepare of preparations) {
    await withClient(databaseUrl, prepare);
    counts.push(count((await measureRun('sync', databaseUrl, uncounted)).result.requests));
  }
  return counts;
}
