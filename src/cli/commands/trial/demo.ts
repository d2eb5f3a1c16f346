import { setTimeout as sleep } from 'node:timers/promises';

import { clock, grouped } from '../../../model/amount-text.ts';
import type { NextStep } from '../../../model/next-step.ts';
import { type Simulator, startSimulator } from '../../../simulator/server.ts';
import type { ShopContext } from '../../../sync/run/context.ts';
import { sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import { openEmbedded } from '../../../embedded-postgres/open-embedded.ts';
import { decideField } from '../../../warehouse/directory/owner-fields.ts';
import { findShop } from '../../../warehouse/directory/registered-shops.ts';
import { claimDatabase } from '../../../warehouse/db/claim-database.ts';
import { forEachShop } from '../../each-shop.ts';
import { DEMO_DATABASE } from '../../open.ts';
import type { Given } from '../../options.ts';
import { commandName, nextCommand } from '../../output/command-name.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { print } from '../../output/layout.ts';
import { sweepProgress, withProgress } from '../../output/progress.ts';
import { readShopsConfig } from '../../shops.ts';
import { workerCommand } from '../sync/worker.ts';
import { demoAnswers } from './demo-answers.ts';
import { DemoStory } from './demo-story.ts';
import { shopSettings } from './simulate.ts';

const ORDERS = 3000;
const DAYS = 180;
const TICKS = 3;
const TICK_PAUSE_MS = 700;
const TICK_SIZE = { newOrders: 4, edits: 9 };
/** An order counts as deleted five minutes after it was missed: all sweeps but the last are dated so much earlier. */
const EARLIER = { minutes: 6 };
const SHOP_KEY = 'demo';
const SHOWN_FIELD = 'source';
const TIMEZONE = 'Europe/Berlin';
const LIVE_EVERY_MS = 15_000;
const LIVE_SIZE = { newOrders: 2, edits: 3 };
/** Often enough that a tick shows on the page. */
const LIVE = {
  PORT: '0',
  FRESHNESS: '2d:20s, 14d:1h, 60d:6h, 400d:1d, *:7d',
  SYNC_CRON: '*/5 * * * * *',
};

/** `demo`: loads a simulated shop, syncs a few changes, and prints answers of the views. */
export async function demoCommand(context: CliContext, options: Given<never, 'keep'>): Promise<ExitCode> {
  const began = performance.now();
  const size = { orders: ORDERS, days: DAYS };
  await using simulator = await startSimulator({ ...size, timezone: TIMEZONE, admin: true });
  await using embedded = await openEmbedded({ directory: context.directory });
  await using claimed = await claimDatabase(embedded.url, DEMO_DATABASE);
  const env = { ...shopSettings(simulator, TIMEZONE), SHOP_KEY, DATABASE_URL: claimed.url };
  const own = { ...context, env };
  print(context, [
    `A simulated shop of ${grouped(ORDERS)} orders over ${DAYS} days, and a real PostgreSQL 18 in .order-sync/.`,
    '',
  ]);
  const code = await forEachShop(own, readShopsConfig(own), async ({ run }) => {
    await tellStory(context, run, simulator);
    return EXIT.done;
  });
  if (code !== EXIT.done) return code;
  const next = (step: NextStep) => nextCommand({ env: context.env }, step);
  const askMore = [
    `Ask more    ${next('ask the demo')}`,
    `            ${next('list demo views')} lists what can be asked`,
    '            docs/questions.md answers forty questions with a query each',
  ];
  print(context, [
    '',
    // It asks the first of several demos.
    ...(claimed.name === DEMO_DATABASE ? askMore : []),
    `Your shop   ${next('write settings')}, then ${next('load shop')}`,
    `Done in ${clock(performance.now() - began)}.`,
  ]);
  if (options.keep === true) await keepRunning(own, simulator);
  return EXIT.done;
}

const earlier = (demo: ShopContext): ShopContext => ({
  ...demo,
  now: () => demo.now().subtract(EARLIER),
});

async function tellStory(context: CliContext, demo: ShopContext, simulator: Simulator): Promise<void> {
  const story = new DemoStory(simulator);
  {
    using _placing = story.placeWhileRead();
    const swept = await withProgress(context, demo.logger, SHOP_KEY, sweepProgress, (watch) =>
      sweepShop(earlier(demo), { kind: 'backfill' }, watch),
    );
    print(context, [
      `Backfill    ${grouped(swept.orders_new)} orders of ${grouped(swept.days_verified)} days ` +
        `in ${clock(swept.seconds * 1000)}: ${grouped(swept.list_requests)} list, ` +
        `${grouped(swept.content_requests)} content, ${grouped(swept.user_requests)} user requests.`,
    ]);
  }
  await showField(context, demo);
  await liveTicks(context, demo, simulator, story);
  const noticed = await story.noticed(demo.db);
  print(context, ['', 'Behind its back', ...noticed, ...(await demoAnswers(demo.db))]);
}

/** What buyers typed into the order form is hidden until its owner shows a field: here, where they heard of the shop. */
async function showField(context: CliContext, { db }: ShopContext): Promise<void> {
  const shop = await findShop(db, SHOP_KEY);
  const after = shop && (await decideField(db, shop.shopId, SHOWN_FIELD, true));
  const hidden = after?.fields.filter(({ reason }) => reason === 'waiting').map(({ key }) => key) ?? [];
  print(context, [
    `Fields      reports hide what buyers typed into the order form: ${hidden.join(', ')}. ` +
      `${commandName(context.env)} fields show ${SHOWN_FIELD} showed one.`,
  ]);
}

/** The shop changes a little each time, and all days are verified again: only what changed is fetched. */
async function liveTicks(
  context: CliContext,
  demo: ShopContext,
  { shop }: Simulator,
  story: DemoStory,
): Promise<void> {
  for (let tick = 1; tick <= TICKS; tick++) {
    shop.tick(undefined, TICK_SIZE);
    // The last tick looks for the deleted order again.
    if (tick === TICKS - 1) story.changeBehindTheBack();
    const swept = await sweepShop(tick === TICKS ? demo : earlier(demo), { kind: 'backfill', force: true });
    print(context, [
      `Live tick ${tick} ${swept.orders_new} new and ${swept.orders_changed} changed orders arrived; ` +
        `all ${grouped(swept.days_verified)} days verified with ${swept.list_requests} list and ` +
        `${swept.content_requests} content requests.`,
    ]);
    await sleep(TICK_PAUSE_MS);
  }
}

/** Says how to use what runs, and lets the shop go on selling, and a worker go on syncing it, until Ctrl-C. */
async function keepRunning(context: CliContext, simulator: Simulator): Promise<void> {
  print(context, [
    '',
    'Running until you press Ctrl-C: the shop, which goes on selling, a worker, and PostgreSQL.',
    `  SQL          psql ${context.env['DATABASE_URL']}`,
    'To use them from another order-sync:',
    ...Object.entries(context.env).map(([name, value]) => `  export ${name}=${value}`),
  ]);
  using _selling = setInterval(() => simulator.shop.tick(undefined, LIVE_SIZE), LIVE_EVERY_MS);
  const flags = { ...context.flags, command: 'worker' };
  await workerCommand({ ...context, env: { ...context.env, ...LIVE }, flags });
  print(context, [
    '',
    "Stopped: the shop, its sync and the status page. The demo's orders stay in .order-sync/ until the next demo.",
  ]);
}
