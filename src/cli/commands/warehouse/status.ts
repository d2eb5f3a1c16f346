/** `status`: how the shops are doing, for people and programs. */
import { counted, duration, grouped, utcText } from '../../../model/amount-text.ts';
import { CONDITIONS, describeCondition, type ShopCondition } from '../../../sync/report/shop-condition.ts';
import { findProblems, type Problem } from '../../../sync/report/shop-problems.ts';
import { readShopReports, type ShopStatusJson } from '../../../sync/report/shop-report.ts';
import { NOT_YET, paceText, shownFigures, steadyText } from '../../../sync/report/shown-figures.ts';
import type { CommandOptions } from '../../options.ts';
import type { CliContext } from '../../output/io.ts';
import { type Block, print, rowsOf } from '../../output/layout.ts';
import { NO_SHOP_YET, withStoredShops } from '../../shops.ts';

/** A shop as it is shown. */
type ShopView = {
  readonly report: ShopStatusJson;
  readonly condition: ShopCondition;
};

/** `status`: how complete and fresh each shop's copy is, and how its last runs went. Uses the database only. */
export async function statusCommand(context: CliContext, { shop }: CommandOptions<'shop'>) {
  const now = Temporal.Now.instant();
  const reports = await withStoredShops(context, shop, ({ db }) => readShopReports(db, now, shop));
  const views = reports
    .map(({ status }): ShopView => ({ report: status, condition: describeCondition(status, now) }))
    .toSorted((one, other) => rank(one) - rank(other));
  const documents = views.map(({ report }) => report);
  print(context, statusText(views, now), documents);
}

const rank = ({ condition }: ShopView) => CONDITIONS.indexOf(condition.word);

function statusText(views: readonly ShopView[], now: Temporal.Instant): readonly Block[] {
  if (views.length === 0) return [NO_SHOP_YET];
  const shops = views.flatMap((view, index) => [...(index > 0 ? [''] : []), ...describeShop(view, now)]);
  return [...(views.length > 1 ? overview(views) : []), ...shops];
}

const WEIGHTS: Readonly<Record<Problem['weight'], string>> = {
  error: 'ERROR',
  warning: 'Warning',
  task: 'To do',
};

/** One line per shop. */
function overview(views: readonly ShopView[]): readonly Block[] {
  const failing = views.filter(({ condition }) => condition.word === 'failing').length;
  const rows = views.map(({ report, condition }) => {
    const { completeThrough: complete_through, daysDue: days_due, orders, rejections } = shownFigures(report);
    return { shop: report.shop, state: condition.text, complete_through, days_due, orders, rejections };
  });
  return [`${counted(views.length, 'shop')}, ${grouped(failing)} failing.`, '', rowsOf(rows), ''];
}

/** Its state, what is wrong with what to do, its figures, and its last runs. */
function describeShop({ report, condition }: ShopView, now: Temporal.Instant): readonly Block[] {
  const problems = findProblems(report, now).map(({ weight, what, advice }) =>
    `  ${WEIGHTS[weight]}: ${what} ${advice}`.trimEnd(),
  );
  const head = `Shop ${report.shop} (${report.timezone}): ${condition.text}`;
  return [head, ...problems, { facts: shopFacts(report, now) }, '', runsTable(report.runs, now)];
}

function shopFacts(report: ShopStatusJson, now: Temporal.Instant): readonly (readonly [string, string])[] {
  const shown = shownFigures(report);
  const never = report.days_unverified > 0 ? `, ${grouped(report.days_unverified)} not yet` : '';
  const older = report.is_loaded ? '' : '; older days follow';
  return [
    ['Complete through', shown.completeThrough],
    ['Freshness', freshnessText(report, now)],
    [
      'Coverage',
      report.first_day === null
        ? NOT_YET
        : `${report.first_day} to ${report.last_day}: ${counted(report.days_verified, 'day')} verified${never}${older}`,
    ],
    ['Days due now', shown.daysDue],
    ['Last look', report.looked_at === null ? NOT_YET : timeText(report.looked_at, now)],
    [
      'Orders',
      shown.isUnread
        ? NOT_YET
        : `${shown.orders} (${grouped(report.orders_missing)} missing, ${grouped(report.orders_deleted)} deleted)`,
    ],
    ['Without lines', shown.isUnread ? NOT_YET : grouped(report.orders_without_lines)],
    ['Open rejections', shown.rejections],
    [
      'Requests',
      `${grouped(report.requests_last_day)} in the last 24 hours` +
        (shown.isUnread ? '' : `; in an hour in which nothing changes, ${steadyText(report)}`),
    ],
    ["Shop's counts", countsText(report, now)],
    ['Shop is asked', throttleText(report)],
  ];
}

/** The newest day against its target. */
function freshnessText(report: ShopStatusJson, now: Temporal.Instant): string {
  const { last_day: newest, newest_verified_at: readAt, newest_target_seconds: targetSeconds } = report;
  if (readAt === null || newest === null || targetSeconds === null) return NOT_YET;
  return `${newest} read ${agoText(readAt, now)}, target ${duration(targetSeconds * 1000, 2)}`;
}

function agoText(instant: string, now: Temporal.Instant): string {
  return `${duration(now.since(Temporal.Instant.from(instant)).total('milliseconds'))} ago`;
}

const timeText = (instant: string, now: Temporal.Instant) =>
  `${agoText(instant, now)} (${utcText(Temporal.Instant.from(instant))})`;

function throttleText({ throttle }: ShopStatusJson): string {
  return throttle === null ? NOT_YET : paceText(throttle);
}

/** How much of the history the shop's own counts were compared with, and what is left out. */
function countsText({ counts }: ShopStatusJson, now: Temporal.Instant): string {
  if (counts === null) return NOT_YET;
  const { at, facets, orders, suspended, through } = counts;
  const compared = `compared ${agoText(at, now)}: ${counted(orders, 'order')} up to ${through}, counted by ${counted(facets, 'filter')}`;
  if (suspended.length === 0) return compared;
  return `${compared}; ${counted(suspended.length, 'filter')} suspended: ${suspended.map(({ facet }) => facet).join(', ')}`;
}

function runsTable(runs: ShopStatusJson['runs'], now: Temporal.Instant): Block {
  if (runs.length === 0) return 'No run did anything yet.';
  const rows = runs.map((run) => {
    const {
      kind,
      status,
      days_verified: days,
      orders_seen: orders,
      orders_new,
      orders_changed: changed,
    } = run;
    const began = { last_runs: agoText(run.started_at, now), kind, status, days, orders, new: orders_new };
    return { ...began, changed, requests: run.requests, rejected: run.rejections };
  });
  return rowsOf(rows);
}
