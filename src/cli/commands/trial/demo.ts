import { setTimeout as sleep } from 'node:timers/promises';

import { clock, grouped } from '../../../amount-text.ts';
import { toShopConfig } from '../../../config/shop-settings.ts';
import { parseFreshness } from '../../../plan/days/freshness.ts';
import { createShopApi, type EndedAttempt } from '../../../shop-api/shop-api.ts';
import { type Simulator, startSimulator } from '../../../simulator/server.ts';
import type { ShopContext } from '../../../sync/run/context.ts';
import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../../sync/sweep/sweep-request.ts';
import { VERSION } from '../../../version.ts';
import { type Db, openDatabase } from '../../../warehouse/db/database.ts';
import { checkReadiness } from '../../../warehouse/db/applied-migrations.ts';
import { createSources } from '../../../worker/ops-sources.ts';
import { startOpsServer } from '../../../worker/ops-server.ts';
import { openEmbedded } from '../../../embedded-postgres/open-embedded.ts';
import { decideField } from '../../../warehouse/directory/owner-fields.ts';
import { findShop } from '../../../warehouse/directory/registered-shops.ts';
import { claimDatabase } from '../../../warehouse/db/claim-database.ts';
import { runMigrations } from '../../../warehouse/db/run-migrations.ts';
import { showAnswers } from './demo-answers.ts';
import { DemoStory } from './demo-story.ts';
import { shopSettings } from './simulate.ts';
import type { NextStep } from '../../../next-step.ts';
import { commandName, nextCommand } from '../../output/command-name.ts';
import type { CliContext } from '../../output/io.ts';
import type { Given } from '../../options.ts';
import { createLogger, DEMO_DATABASE, untilInterrupted } from '../../open.ts';
import { progressLine, withProgress } from '../../output/progress.ts';
import { wrapLines } from '../../output/display-text.ts';

const ORDERS = 3000;
const DAYS = 180;
const TICKS = 3;
const TICK_PAUSE_MS = 700;
const TICK_SIZE = { newOrders: 4, edits: 9 };
const SHOP_KEY = 'demo';
const SHOWN_FIELD = 'source';
const TIMEZONE = 'Europe/Berlin';
const LIVE_EVERY_MS = 15_000;
const LIVE_SIZE = { newOrders: 2, edits: 3 };
/** Often enough that a tick shows on the page. */
const LIVE_FRESHNESS = parseFreshness('2d:20s, 14d:1h, 60d:6h, 400d:1d, *:7d');

/** `demo`: loads a simulated shop, syncs a few changes, and prints answers of the views. */
export async function demoCommand(context: CliContext, options: Given<never, 'keep'>) {
  const out = (text: string) => tell(context.io, text);
  const began = performance.now();
  const size = { orders: ORDERS, days: DAYS };
  await using simulator = await startSimulator({ ...size, timezone: TIMEZONE, admin: true });
  await using embedded = await openEmbedded({ directory: context.directory });
  await using claimed = await claimDatabase(embedded.url, DEMO_DATABASE);
  await using database = await openDatabase(claimed.url);
  await runMigrations(database);
  out(
    `A simulated shop of ${grouped(ORDERS)} orders over ${DAYS} days, and a real PostgreSQL 18 in .order-sync/.\n\n`,
  );
  await using page = options.keep === true ? await serveDemoPage(database.db, SHOP_KEY) : undefined;
  if (page !== undefined) out(`Watch it at ${page.url}\n\n`);
  const login = { key: SHOP_KEY, url: simulator.url, login: 'admin', apiKey: 'simulated-key' };
  const shop = toShopConfig({ ...login, timezone: TIMEZONE, maxConcurrency: 8, maxRps: 5000 });
  const demo: ShopContext = {
    api: createShopApi({ ...shop, ...(page && { onAttempt: page.countAttempt }) }),
    db: database.db,
    shop,
    logger: createLogger(context, { logLevel: 'warn' }),
    now: () => Temporal.Now.instant(),
    signal: context.signal,
    version: VERSION,
  };
  const story = new DemoStory(simulator);
  {
    using _placing = story.placeWhileRead();
    await firstBackfill(context, demo);
  }
  await showField(context, demo);
  await liveTicks(context, demo, simulator, story);
  await showStory(context, demo, story);
  await showAnswers(context.io, database.db);
  const next = (step: NextStep) => nextCommand({ env: context.env }, step);
  const askMore =
    `Ask more    ${next('ask the demo')}\n` +
    `            ${next('list demo views')} lists what can be asked\n` +
    '            docs/questions.md answers forty questions with a query each\n';
  out(
    // It asks the first of several demos.
    `\n${claimed.name === DEMO_DATABASE ? askMore : ''}` +
      `Your shop   ${next('write settings')}, then ${next('load shop')}\n` +
      `Done in ${clock(performance.now() - began)}.\n`,
  );
  if (page !== undefined) {
    await keepRunning(context, demo, simulator, { pageUrl: page.url, databaseUrl: claimed.url });
  }
}

async function firstBackfill(context: CliContext, demo: ShopContext): Promise<void> {
  const { io } = context;
  const began = performance.now();
  const { counts } = await withProgress(context, demo.logger, demo.shop.shopKey, progressLine, (watch) =>
    sweepShop(demo, { kind: 'backfill' }, watch),
  );
  tell(
    io,
    `Backfill   ${grouped(counts.orders_new)} orders of ${grouped(counts.days_verified)} days ` +
      `in ${clock(performance.now() - began)}: ${grouped(counts.list_requests)} list, ` +
      `${grouped(counts.content_requests)} content, ${grouped(counts.user_requests)} user requests.\n`,
  );
}

/** What buyers typed into the order form is hidden until its owner shows a field: here, where they heard of the shop. */
async function showField({ io, env }: CliContext, { db }: ShopContext): Promise<void> {
  const shop = await findShop(db, SHOP_KEY);
  if (shop === undefined) return;
  const after = await decideField(db, shop.shopId, SHOWN_FIELD, true);
  const hidden = after?.fields.filter(({ reason }) => reason === 'waiting').map(({ key }) => key) ?? [];
  tell(
    io,
    `Fields      reports hide what buyers typed into the order form: ${hidden.join(', ')}. ` +
      `${commandName(env)} fields show ${SHOWN_FIELD} showed one.\n`,
  );
}

/** The shop changes a little each time, and all days are verified again: only what changed is fetched. */
async function liveTicks(
  context: CliContext,
  demo: ShopContext,
  { shop }: Simulator,
  story: DemoStory,
): Promise<void> {
  const again: SweepRequest = { kind: 'backfill', force: true };
  let before = countRequests(demo);
  for (let tick = 1; tick <= TICKS; tick++) {
    shop.tick(undefined, TICK_SIZE);
    // Twice gone is deleted, so a tick is left.
    if (tick === TICKS - 1) story.changeBehindTheBack();
    const { counts } = await sweepShop(demo, again);
    const after = countRequests(demo);
    tell(
      context.io,
      `Live tick ${tick} ${counts.orders_new} new and ${counts.orders_changed} changed orders arrived; ` +
        `all ${grouped(counts.days_verified)} days verified with ${after.lists - before.lists} list and ` +
        `${after.contents - before.contents} content requests.\n`,
    );
    before = after;
    await sleep(TICK_PAUSE_MS);
  }
}

async function showStory({ io }: CliContext, { db }: ShopContext, story: DemoStory): Promise<void> {
  io.out('\nBehind its back\n');
  for (const { what, isFound, how } of await story.noticed(db)) {
    tell(io, `  ${isFound ? '✓' : '✗'} ${what}: ${isFound ? how : 'NOT FOUND'}\n`);
  }
}

function countRequests({ api }: ShopContext) {
  return { lists: api.counts.orders, contents: api.counts.content };
}

/** Sentences, wrapped to the terminal. */
function tell({ out, outColumns }: CliContext['io'], text: string): void {
  out(wrapLines(text, outColumns()));
}

/** Serves the pages that a worker serves, on this machine alone and at any free port. */
async function serveDemoPage(db: Db, shopKey: string) {
  const { metrics, ...sources } = createSources({
    db,
    findPolicy: () => LIVE_FRESHNESS,
    turns: { counts: async () => ({ queued: 0, active: 0, failed: 0 }) },
    now: () => Temporal.Now.instant(),
  });
  const unreadiness = () => checkReadiness(db);
  const server = await startOpsServer({ port: 0, host: '127.0.0.1' }, { ...sources, unreadiness, metrics });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    /** Counts the demo's own requests to its shop. */
    countAttempt: (ended: EndedAttempt) => metrics.countAttempt(shopKey, ended),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Says what runs and how to use it, and lets the shop go on selling until Ctrl-C. */
async function keepRunning(
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
