/** What goes on after a demo until it is interrupted: the shop, the database, and a page that shows both. */
import { setTimeout as sleep } from 'node:timers/promises';

import { parseFreshness } from '../../../plan/days/freshness.ts';
import type { EndedAttempt } from '../../../shop-api/shop-http.ts';
import type { Simulator } from '../../../simulator/server.ts';
import type { ShopContext } from '../../../sync/run/context.ts';
import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import { checkReadiness } from '../../../warehouse/db/readiness.ts';
import { createSources } from '../../../worker/ops-sources.ts';
import { startOpsServer } from '../../../worker/ops-server.ts';
import type { CliContext } from '../../output/io.ts';
import { untilInterrupted } from '../../open.ts';
import { shopSettings } from './simulate.ts';

const LIVE_EVERY_MS = 15_000;
const LIVE_SIZE = { newOrders: 2, edits: 3 };
/** Often enough that a tick shows on the page. */
const LIVE_FRESHNESS = parseFreshness('2d:20s, 14d:1h, 60d:6h, 400d:1d, *:7d');

export type DemoPage = AsyncDisposable & {
  readonly url: string;
  /** Counts the demo's own requests to its shop. */
  readonly countAttempt: (ended: EndedAttempt) => void;
};

/** Serves the pages that a worker serves, on this machine alone and at any free port. */
export async function serveDemoPage(db: Db, shopKey: string): Promise<DemoPage> {
  const { metrics, ...sources } = createSources({
    db,
    findPolicy: () => LIVE_FRESHNESS,
    queue: { stats: async () => ({ queued: 0, active: 0, failed: 0 }) },
    holder: 'demo',
    now: () => Temporal.Now.instant(),
  });
  const unreadiness = () => checkReadiness(db);
  const server = await startOpsServer({ port: 0, host: '127.0.0.1' }, { ...sources, unreadiness, metrics });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    countAttempt: (ended) => metrics.countAttempt(shopKey, ended),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Says what runs and how to use it, and lets the shop go on selling until Ctrl-C. */
export async function keepRunning(
  { io, signal }: CliContext,
  demo: ShopContext,
  simulator: Simulator,
  running: { readonly pageUrl: string; readonly databaseUrl: string },
): Promise<void> {
  const { pageUrl, databaseUrl } = running;
  const settings = {
    ...shopSettings(simulator, demo.shop.timezone),
    SHOP_KEY: demo.shop.shopKey,
    DATABASE_URL: databaseUrl,
  };
  io.out(
    `\nRunning until you press Ctrl-C: the shop, which goes on selling, its sync, and PostgreSQL.\n` +
      `  Status page  ${pageUrl}\n  SQL          psql ${databaseUrl}\nTo use them from another order-sync:\n`,
  );
  for (const [name, value] of Object.entries(settings)) io.out(`  export ${name}=${value}\n`);
  await Promise.all([goOnSelling(demo, simulator), untilInterrupted(signal)]);
  io.out(
    "\nStopped: the shop, its sync and the status page. The demo's orders stay in .order-sync/ until the next demo.\n",
  );
}

async function goOnSelling(demo: ShopContext, { shop }: Simulator): Promise<void> {
  const live = { ...demo, shop: { ...demo.shop, freshness: LIVE_FRESHNESS } };
  while (!demo.signal.aborted) {
    await sleep(LIVE_EVERY_MS, undefined, { signal: demo.signal }).catch(() => undefined);
    if (demo.signal.aborted) return;
    shop.tick(undefined, LIVE_SIZE);
    // Another order-sync may be at work on the shop; what failed otherwise is in the table of runs, and on the page.
    await sweepShop(live, { kind: 'sync' }).catch(() => undefined);
  }
}
