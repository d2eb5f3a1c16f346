import { UsageError } from '../errors.ts';
import type { FreshnessPolicy } from '../plan/freshness.ts';
import { readSteadyCost } from '../sync/steady-cost.ts';
import { type ChangeAges, readChangeAges } from '../warehouse/change-ages.ts';
import type { Db } from '../warehouse/database.ts';
import { lastRuns, type StoredRun } from '../warehouse/runs.ts';
import { listShops, type StoredShop } from '../warehouse/shops.ts';
import { readShopStatus, type ShopStatus } from '../warehouse/status.ts';
import { type CliContext, EXIT, type ExitCode } from './io.ts';
import { configOf, openWarehouse } from './open.ts';
import { grouped, table } from './table.ts';

const RUNS_SHOWN = 5;

type ShopReport = {
  readonly shop: StoredShop;
  readonly status: ShopStatus;
  readonly ages: ChangeAges;
  /** List requests per hour that the freshness policy costs when nothing changes. */
  readonly steadyPerHour: number;
  readonly runs: readonly StoredRun[];
};

/** `status`: how complete and fresh each shop's copy is, and how its last runs went. Asks the database alone. */
export async function statusCommand(
  context: CliContext,
  options: { readonly shop?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const config = configOf(context);
  await using warehouse = await openWarehouse(context, config);
  const { db } = warehouse;
  const shops = (await listShops(db)).filter(
    (shop) => options.shop === undefined || shop.shopKey === options.shop,
  );
  if (options.shop !== undefined && shops.length === 0) {
    throw new UsageError(`--shop ${options.shop}: the warehouse holds no shop of that key`);
  }
  const reports = await Promise.all(shops.map((shop) => readReport(db, shop, config.freshness)));
  if (options.json === true) context.io.out(`${JSON.stringify(reports.map(reportJson))}\n`);
  else if (reports.length === 0)
    context.io.out('The warehouse holds no shop yet; `order-sync backfill` fills it.\n');
  else context.io.out(reports.map(reportText).join('\n'));
  return EXIT.done;
}

async function readReport(db: Db, shop: StoredShop, freshness: FreshnessPolicy): Promise<ShopReport> {
  const { shopId, timezone } = shop;
  return {
    shop,
    status: await readShopStatus(db, shopId),
    ages: await readChangeAges(db, shopId),
    steadyPerHour: await readSteadyCost(db, shopId, timezone, freshness, Temporal.Now.instant()),
    runs: await lastRuns(db, shopId, RUNS_SHOWN),
  };
}

function reportJson({ shop, status, ages, steadyPerHour, runs }: ShopReport) {
  const plain = runs.map((run) => ({ ...run, run_id: String(run.run_id) }));
  const cost = { steady_list_requests_per_hour: steadyPerHour, change_age_days: ages };
  return { shop: shop.shopKey, timezone: shop.timezone, ...status, ...cost, runs: plain };
}

function reportText({ shop, status, ages, steadyPerHour, runs }: ShopReport): string {
  const days = `${grouped(status.days_verified)} days verified`;
  const open = status.days_unverified > 0 ? `, ${grouped(status.days_unverified)} not yet` : '';
  const facts = [
    ['Complete through', status.complete_through ?? 'no day yet'],
    [
      'Coverage',
      status.first_day === null ? 'no day yet' : `${status.first_day} to ${status.last_day}: ${days}${open}`,
    ],
    ['Newest day verified', status.newest_verified_at?.slice(0, 19).concat(' UTC') ?? 'never'],
    [
      'Orders',
      `${grouped(status.orders)} (${grouped(status.orders_missing)} missing, ${grouped(status.orders_deleted)} deleted)`,
    ],
    ['Orders without lines', grouped(status.orders_without_lines)],
    ['Open rejections', grouped(status.open_rejections)],
    ['Requests per hour', `${grouped(status.requests_per_hour)} (last 24 hours)`],
    ['Steady cost', `${steadyPerHour.toFixed(1)} list requests per hour, by FRESHNESS`],
    ['Changes seen at age', agesText(ages)],
  ];
  const width = Math.max(...facts.map(([name]) => name?.length ?? 0));
  const lines = facts.map(([name = '', value = '']) => `  ${name.padEnd(width)}  ${value}`);
  return `Shop ${shop.shopKey} (${shop.timezone})\n${lines.join('\n')}\n\n${runsText(runs)}`;
}

function agesText({ changes, p50, p99, max }: ChangeAges): string {
  if (changes === 0) return 'none seen yet';
  const days = (age: number) => `${age.toFixed(1)} d`;
  return `half by ${days(p50)}, 99 % by ${days(p99)}, the latest at ${days(max)} (${grouped(changes)} changes)`;
}

function runsText(runs: readonly StoredRun[]): string {
  const heading = [
    'last runs',
    'kind',
    'status',
    'days',
    'orders',
    'new',
    'changed',
    'requests',
    'rejections',
  ];
  const rows = runs.map((run) => [
    `${run.started_at.slice(0, 19)} UTC`,
    run.kind,
    run.status,
    grouped(run.days_verified),
    grouped(run.orders_seen),
    grouped(run.orders_new),
    grouped(run.orders_changed),
    grouped(run.requests),
    grouped(run.rejections),
  ]);
  return table([heading, ...rows]);
}
