import { UsageError } from '../../errors.ts';
import { RARE_CODE } from '../../shown-code.ts';
import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { readShopReports, reportJson, type ShopReport } from '../../sync/report/shop-report.ts';
import { utcText } from '../../sync/run/throttle-state.ts';
import type { ChangeAges } from '../../warehouse/orders/change-ages.ts';
import type { StoredRun } from '../../warehouse/ops/runs.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../output/io.ts';
import { readConfig, openWarehouse } from '../open.ts';
import { readShopsFile } from '../stored-shops.ts';
import { grouped, table } from '../output/table.ts';

/** `bi.unclassified_statuses` has all of them. */
const CODES_SHOWN = 5;

/** `status`: how complete and fresh each shop's copy is, and how its last runs went. Uses the database only. */
export async function statusCommand(
  context: CliContext,
  options: { readonly shop?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { db } = warehouse;
  const policies = new Map(readShopsFile(context).map(({ shopKey, freshness }) => [shopKey, freshness]));
  const findPolicy = (shopKey: string) => policies.get(shopKey) ?? config.freshness;
  const all = await readShopReports(db, findPolicy, Temporal.Now.instant());
  const reports = all.filter(({ shop }) => options.shop === undefined || shop.shopKey === options.shop);
  if (options.shop !== undefined && reports.length === 0) {
    throw new UsageError(
      `--shop ${options.shop}: the warehouse has no such shop, or it was retired; order-sync shops lists them all`,
    );
  }
  const none = 'The warehouse has no shop yet; `order-sync backfill` loads it.\n';
  const text = reports.length === 0 ? none : reports.map(reportText).join('\n');
  printResult(context, reports.map(reportJson), text);
  return EXIT.done;
}

function reportText(report: ShopReport): string {
  const { shop, status, daysDue, ages, steadyPerHour, runs, normalizer } = report;
  const days = `${grouped(status.days_verified)} days verified`;
  const open = status.days_unverified > 0 ? `, ${grouped(status.days_unverified)} not yet` : '';
  const facts = [
    ['Complete through', status.complete_through ?? 'no day yet'],
    [
      'Coverage',
      status.first_day === null ? 'no day yet' : `${status.first_day} to ${status.last_day}: ${days}${open}`,
    ],
    ['Days due now', daysDue === undefined ? 'all' : grouped(daysDue)],
    ['Last look', report.lookedAt === undefined ? 'never' : utcText(report.lookedAt)],
    ['Newest day verified', status.newest_verified_at?.slice(0, 19).concat(' UTC') ?? 'never'],
    [
      'Orders',
      `${grouped(status.orders)} (${grouped(status.orders_missing)} missing, ${grouped(status.orders_deleted)} deleted)`,
    ],
    ['Orders without lines', grouped(status.orders_without_lines)],
    ['Open rejections', grouped(status.open_rejections)],
    ['Requests per hour', `${grouped(status.requests_per_hour)} (last 24 hours)`],
    ['Steady cost', `${steadyPerHour.toFixed(1)} list requests per hour, by FRESHNESS`],
    ['Shop is asked', throttleText(report)],
    ['Changes seen at age', agesText(ages)],
    ...(report.clockWarning === undefined ? [] : [['Warning', report.clockWarning]]),
    ...unclassifiedFacts(report),
    ...fieldFacts(report),
    ...failureFacts(runs),
    ...replayFacts(normalizer),
  ];
  const width = Math.max(...facts.map(([name]) => name?.length ?? 0));
  const lines = facts.map(([name = '', value = '']) => `  ${name.padEnd(width)}  ${value}`);
  return `Shop ${shop.shopKey} (${shop.timezone})\n${lines.join('\n')}\n\n${runsText(runs)}`;
}

/** Why the last finished run was not ok. */
function failureFacts(runs: readonly StoredRun[]): readonly (readonly [string, string])[] {
  const last = runs.find(({ status }) => status !== 'running');
  const { error = null, kind = '', status = 'ok' } = last ?? {};
  return error === null || status === 'ok' ? [] : [[`Last ${kind} ${status}`, error]];
}

/** Orders with such a code are loaded, but do not count as sales. */
function unclassifiedFacts({ unclassified }: ShopReport): readonly (readonly [string, string])[] {
  if (unclassified.length === 0) return [];
  const shown = unclassified.slice(0, CODES_SHOWN).map(({ kind, code, orders }) => {
    const name = kind === 'order' ? 'status' : 'payment status';
    const shownName =
      code === RARE_CODE ? `${name} codes that few customers share` : `${name} ${JSON.stringify(code)}`;
    return `${shownName} (${grouped(orders)} ${orders === 1 ? 'order' : 'orders'})`;
  });
  const more = unclassified.length > CODES_SHOWN ? [`${unclassified.length - CODES_SHOWN} more`] : [];
  return [['To be classified', [...shown, ...more].join(', ')]];
}

/** Order fields without a row in `core.order_form_fields` that no value of is shown. */
function fieldFacts({ fieldsWaiting }: ShopReport): readonly (readonly [string, string])[] {
  if (fieldsWaiting === 0) return [];
  const fields = fieldsWaiting === 1 ? '1 order field is' : `${grouped(fieldsWaiting)} order fields are`;
  return [['To be decided', `${fields} hidden in bi; show or hide in core.order_form_fields`]];
}

function replayFacts(normalizer: number): readonly (readonly [string, string])[] {
  if (normalizer >= NORMALIZER_VERSION) return [];
  const versions = `normalizer ${NORMALIZER_VERSION}, warehouse ${normalizer}`;
  return [['Replay due', `${versions}; run order-sync replay`]];
}

function throttleText({ throttle, pausedUntil }: ShopReport): string {
  if (throttle === undefined) return 'no run yet';
  const { concurrency, maxConcurrency, maxRps, circuit } = throttle;
  const state = circuit === 'closed' ? '' : `; it did not answer (circuit ${circuit})`;
  const pause = pausedUntil === undefined ? '' : `; it requested a pause until ${utcText(pausedUntil)}`;
  return `${concurrency} of ${maxConcurrency} requests at once, ${maxRps} per second${state}${pause}`;
}

function agesText({ changes, p50, p99, max }: ChangeAges): string {
  if (changes === 0) return 'none seen yet';
  const days = (age: number) => `${age.toFixed(1)} d`;
  return `half by ${days(p50)}, 99 % by ${days(p99)}, the latest at ${days(max)} (${grouped(changes)} changes)`;
}

function runsText(runs: readonly StoredRun[]): string {
  const heading = 'last runs|kind|status|days|orders|new|changed|requests|rejections'.split('|');
  const rows = runs.map((run) => {
    const { days_verified, orders_seen, orders_new, orders_changed, requests, rejections } = run;
    const figures = [days_verified, orders_seen, orders_new, orders_changed, requests, rejections];
    return [`${run.started_at.slice(0, 19)} UTC`, run.kind, run.status, ...figures.map(grouped)];
  });
  return table([heading, ...rows]);
}
