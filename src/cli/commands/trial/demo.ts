import { setTimeout as sleep } from 'node:timers/promises';

import { clock, grouped } from '../../../model/amount-text.ts';
import { type Simulator, startSimulator } from '../../../simulator/server.ts';
import type { ShopContext } from '../../../sync/run/context.ts';
import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../../sync/sweep/sweep-request.ts';
import { openEmbedded } from '../../../embedded-postgres/open-embedded.ts';
import { decideField } from '../../../warehouse/directory/owner-fields.ts';
import { findShop } from '../../../warehouse/directory/registered-shops.ts';
import { claimDatabase } from '../../../warehouse/db/claim-database.ts';
import { workerCommand } from '../sync/worker.ts';
import { showAnswers } from './demo-answers.ts';
import { DemoStory } from './demo-story.ts';
import { shopSettings } from './simulate.ts';
import type { NextStep } from '../../../model/next-step.ts';
import { commandName, nextCommand } from '../../output/command-name.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { forEachShop } from '../../each-shop.ts';
import type { Given } from '../../options.ts';
import { DEMO_DATABASE, readShopsConfig } from '../../open.ts';
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
const LIVE_FRESHNESS = '2d:20s, 14d:1h, 60d:6h, 400d:1d, *:7d';
const LIVE_CRON = '*/5 * * * * *';

/** `demo`: loads a simulated shop, syncs a few changes, and prints answers of the views. */
export async function demoCommand(context: CliContext, options: Given<never, 'keep'>): Promise<ExitCode> {
  const out = (text: string) => tell(context.io, text);
  const began = performance.now();
  const size = { orders: ORDERS, days: DAYS };
  await using simulator = await startSimulator({ ...size, timezone: TIMEZONE, admin: true });
  await using embedded = await openEmbedded({ directory: context.directory });
  await using claimed = await claimDatabase(embedded.url, DEMO_DATABASE);
  const env = { ...shopSettings(simulator, TIMEZONE), SHOP_KEY, DATABASE_URL: claimed.url };
  const own = { ...context, env };
  out(
    `A simulated shop of ${grouped(ORDERS)} orders over ${DAYS} days, and a real PostgreSQL 18 in .order-sync/.\n\n`,
  );
  const code = await forEachShop(own, readShopsConfig(own), async ({ run }) => {
    await tellStory(context, run, simulator);
    return EXIT.done;
  });
  if (code !== EXIT.done) return code;
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
  if (options.keep === true) await keepRunning(own, simulator);
  return EXIT.done;
}

async function tellStory(context: CliContext, demo: ShopContext, simulator: Simulator): Promise<void> {
  const story = new DemoStory(simulator);
  {
    using _placing = story.placeWhileRead();
    await firstBackfill(context, demo);
  }
  await showField(context, demo);
  await liveTicks(context, demo, simulator, story);
  await showStory(context, demo, story);
  await showAnswers(context.io, demo.db);
}

async function firstBackfill(context: CliContext, demo: ShopContext): Promise<void> {
  const swept = await withProgress(context, demo.logger, demo.shop.shopKey, progressLine, (watch) =>
    sweepShop(demo, { kind: 'backfill' }, watch),
  );
  tell(
    context.io,
    `Backfill   ${grouped(swept.orders_new)} orders of ${grouped(swept.days_verified)} days ` +
      `in ${clock(swept.seconds * 1000)}: ${grouped(swept.list_requests)} list, ` +
      `${grouped(swept.content_requests)} content, ${grouped(swept.user_requests)} user requests.\n`,
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
  for (let tick = 1; tick <= TICKS; tick++) {
    shop.tick(undefined, TICK_SIZE);
    // Twice gone is deleted, so a tick is left.
    if (tick === TICKS - 1) story.changeBehindTheBack();
    const swept = await sweepShop(demo, again);
    tell(
      context.io,
      `Live tick ${tick} ${swept.orders_new} new and ${swept.orders_changed} changed orders arrived; ` +
        `all ${grouped(swept.days_verified)} days verified with ${swept.list_requests} list and ` +
        `${swept.content_requests} content requests.\n`,
    );
    await sleep(TICK_PAUSE_MS);
  }
}

async function showStory({ io }: CliContext, { db }: ShopContext, story: DemoStory): Promise<void> {
  io.out('\nBehind its back\n');
  for (const { what, isFound, how } of await story.noticed(db)) {
    tell(io, `  ${isFound ? '✓' : '✗'} ${what}: ${isFound ? how : 'NOT FOUND'}\n`);
  }
}

/** Sentences, wrapped to the terminal. */
function tell({ out, outColumns }: CliContext['io'], text: string): void {
  out(wrapLines(text, outColumns()));
}

/** Says how to use what runs, and lets the shop go on selling, and a worker go on syncing it, until Ctrl-C. */
async function keepRunning(context: CliContext, simulator: Simulator): Promise<void> {
  const { io } = context;
  io.out(
    `\nRunning until you press Ctrl-C: the shop, which goes on selling, a worker, and PostgreSQL.\n` +
      `  SQL          psql ${context.env['DATABASE_URL']}\nTo use them from another order-sync:\n`,
  );
  for (const [name, value] of Object.entries(context.env)) io.out(`  export ${name}=${value}\n`);
  using _selling = setInterval(() => simulator.shop.tick(undefined, LIVE_SIZE), LIVE_EVERY_MS);
  const env = { ...context.env, PORT: '0', FRESHNESS: LIVE_FRESHNESS, SYNC_CRON: LIVE_CRON };
  await workerCommand({ ...context, env, flags: { ...context.flags, command: 'worker' } });
  io.out(
    "\nStopped: the shop, its sync and the status page. The demo's orders stay in .order-sync/ until the next demo.\n",
  );
}
