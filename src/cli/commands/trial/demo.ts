import { type SQL, sql } from 'drizzle-orm';

import { clock, grouped } from '../../../model/amount-text.ts';
import type { NextStep } from '../../../model/next-step.ts';
import { type Simulator, startSimulator } from '../../../simulator/server.ts';
import type { SimOrder } from '../../../simulator/shop/sim-order.ts';
import type { ShopContext } from '../../../sync/run/context.ts';
import { type SweepResult, sweepShop } from '../../../sync/sweep/sweep-shop.ts';
import { openEmbedded } from '../../../embedded-postgres/open-embedded.ts';
import { claimDatabase } from '../../../warehouse/db/claim-database.ts';
import type { Db } from '../../../warehouse/db/database.ts';
import { forEachShop } from '../../each-shop.ts';
import { readShopsConfig } from '../../shops.ts';
import { DEMO_DATABASE } from '../../open.ts';
import type { CommandOptions } from '../../options.ts';
import { nextCommand } from '../../output/command-name.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { type Block, print, rowsOf } from '../../output/layout.ts';
import { sweepProgress, withProgress } from '../../output/progress.ts';
import { workerCommand } from '../sync/worker.ts';
import { shopSettings } from './simulate.ts';

const ORDERS = 3000;
const DAYS = 180;
const TICKS = 3;
const TICK_SIZE = { newOrders: 4, edits: 9 };
/** An order counts as deleted five minutes after it was missed: all sweeps but the last are dated so much earlier. */
const EARLIER = { minutes: 6 };
/** In the middle of the first load, so that what follows moves on by a row. */
const LIST_REQUEST = 4;
const PLACED_AT = 0.6;
const DELETED_AT = 0.75;
const CHANGED_AT = 0.1;
const SHOP_KEY = 'demo';
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
export async function demoCommand(
  context: CliContext,
  options: CommandOptions<never, 'keep'>,
): Promise<ExitCode> {
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
  const code = await forEachShop(own, readShopsConfig(own), ({ run }) => tellStory(context, run, simulator));
  if (code !== EXIT.done) return code;
  const next = (step: NextStep) => nextCommand(context, step);
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

/** Changes in the shop while its list is read. */
type Events = { placed?: SimOrder; deleted?: SimOrder; changed?: SimOrder };

async function tellStory(context: CliContext, demo: ShopContext, simulator: Simulator): Promise<void> {
  const { shop, requests } = simulator;
  const events: Events = {};
  let lists = 0;
  requests.onRequest(({ route }) => {
    // It pushes others from one page to the next.
    if (route === 'orders' && ++lists === LIST_REQUEST)
      events.placed = shop.insertOrder({ createdLocal: orderAt(shop, PLACED_AT).createdLocal });
  });
  const loaded = await withProgress(context, demo, sweepProgress, (watch) =>
    sweepShop(earlier(demo), { kind: 'backfill' }, watch),
  );
  print(context, [
    `Backfill    ${grouped(loaded.orders_new)} orders of ${grouped(loaded.days_verified)} days ` +
      `in ${clock(loaded.seconds * 1000)}: ${grouped(loaded.list_requests)} list, ` +
      `${grouped(loaded.content_requests)} content, ${grouped(loaded.user_requests)} user requests.`,
  ]);
  // All days are verified again each time: only what changed is fetched.
  for (let tick = 1; tick <= TICKS; tick++) {
    shop.tick(undefined, TICK_SIZE);
    // The last tick looks for the deleted order again.
    if (tick === TICKS - 1) {
      events.deleted = orderAt(shop, DELETED_AT);
      shop.deleteOrder(events.deleted.orderId);
      events.changed = shop.editOrder(orderAt(shop, CHANGED_AT).orderId);
    }
    const swept = await sweepShop(tick === TICKS ? demo : earlier(demo), { kind: 'backfill', force: true });
    print(context, [
      `Live tick ${tick} ${swept.orders_new} new and ${swept.orders_changed} changed orders arrived; ` +
        `${verifiedText(swept)} verified with ${swept.list_requests} list and ${swept.content_requests} content requests.`,
    ]);
  }
  const noticed = await noticedText(demo.db, shop.orders().length, events);
  print(context, ['', 'What the shop does not report', ...noticed, ...(await demoAnswers(demo.db))]);
}

/** The day of an order that disappeared is verified when the next sweep has confirmed that. */
const verifiedText = ({ days_due, days_verified }: Pick<SweepResult, 'days_due' | 'days_verified'>) =>
  days_verified === days_due
    ? `all ${grouped(days_due)} days`
    : `${grouped(days_verified)} of ${grouped(days_due)} days`;

/** @param share of the history before it */
function orderAt(shop: Simulator['shop'], share: number): SimOrder {
  const orders = shop.orders();
  const order = orders[Math.floor(orders.length * share)];
  if (order === undefined) throw new RangeError('the shop has no orders');
  return order;
}

/** What the warehouse holds of all that, a line each. */
async function noticedText(db: Db, orders: number, events: Events): Promise<readonly string[]> {
  const { placed, deleted, changed } = events;
  const is = (order: SimOrder | undefined, condition: SQL) =>
    sql`EXISTS (SELECT FROM bi.orders WHERE order_id = ${order?.orderId ?? 0} AND ${condition})`;
  const sum = ((changed?.sumCents ?? 0) / 100).toFixed(2);
  const { rows } = await db.execute<Record<'whole' | 'marked' | 'found', boolean>>(sql`
    SELECT ${is(placed, sql`NOT is_deleted`)} AND (SELECT count(*) FROM bi.orders WHERE NOT is_deleted) = ${orders} AS whole,
      ${is(deleted, sql`is_deleted`)} AS marked,
      ${is(changed, sql`order_sum = ${sum} AND status_code = ${changed?.status ?? null}`)} AS found`);
  const line = (what: string, isNoticed: boolean | undefined, how: string) =>
    isNoticed === true ? `  ✓ ${what}: ${how}` : `  ✗ ${what}: NOT FOUND`;
  const day = changed?.createdLocal.toPlainDate().toString();
  return [
    line('an order came in while the list was read, and shifted the others', rows[0]?.whole, 'none is lost'),
    line(`order ${deleted?.orderId} was deleted`, rows[0]?.marked, 'marked, and out of all sums'),
    line(`order ${changed?.orderId} of ${day} changed`, rows[0]?.found, 'found without any notification'),
  ];
}

/** So that a line fits 80 columns. */
const BAR_CELLS = 30;

const QUESTIONS: readonly (readonly [title: string, query: SQL])[] = [
  [
    'Sales of the last 14 days',
    sql`
      SELECT to_char(order_date, 'Dy DD Mon') AS day,
        repeat('█', (${BAR_CELLS} * revenue / nullif(max(revenue) OVER (), 0))::int) AS sales,
        to_char(revenue, 'FM999,999,990.00') AS revenue, currency, orders
      FROM bi.daily_sales
      WHERE order_date > (SELECT max(order_date) FROM bi.daily_sales) - 14
        AND currency = (SELECT currency FROM bi.daily_sales GROUP BY currency ORDER BY sum(orders) DESC LIMIT 1)
      ORDER BY order_date`,
  ],
  [
    'Top products of the last 30 days',
    sql`
      SELECT max(product_name) AS product, currency, sum(quantity)::int AS pieces,
        to_char(sum(revenue), 'FM999,999,990.00') AS revenue
      FROM bi.product_sales WHERE order_date > (SELECT max(order_date) FROM bi.product_sales) - 30
      GROUP BY shop_id, product_oid, currency ORDER BY sum(revenue) DESC LIMIT 5`,
  ],
  [
    'Completeness',
    sql`
      SELECT shop, count(*) FILTER (WHERE is_verified) AS days_verified, count(*) AS days,
        sum(orders) AS orders_in_shop, sum(warehouse_orders) AS orders_in_warehouse,
        to_char(max(verified_at), 'YYYY-MM-DD HH24:MI:SS "UTC"') AS last_verified
      FROM bi.completeness GROUP BY shop`,
  ],
];

/** Answers of the views to common questions. */
async function demoAnswers(db: Db): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (const [title, query] of QUESTIONS) {
    const { rows } = await db.execute<Record<string, string | number | null>>(query);
    blocks.push('', title, rowsOf(rows));
  }
  return blocks;
}

/** Prints how to use the running services, and keeps the shop selling and a worker syncing until Ctrl-C. */
async function keepRunning(context: CliContext, simulator: Simulator): Promise<void> {
  print(context, [
    '',
    'Running until you press Ctrl-C: the shop, which goes on selling, a worker, and PostgreSQL.',
    `  SQL          psql '${context.env['DATABASE_URL']}'`,
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
