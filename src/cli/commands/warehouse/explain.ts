import { UsageError } from '../../../errors.ts';
import { parseDurationMs } from '../../../plan/days/freshness.ts';
import { utcText } from '../../../amount-text.ts';
import {
  FIGURE_NAMES,
  type Figures,
  readSalesChanges,
  type ShopChanges,
} from '../../../warehouse/query/sales-changes.ts';
import { openWarehouse, readConfig } from '../../open.ts';
import { reportError } from '../../output/describe-error.ts';
import { type CliContext, EXIT, type ExitCode, note, printResult, worse } from '../../output/io.ts';
import { table } from '../../output/table.ts';
import { findStoredShops, NO_SHOP_YET } from '../../stored-shops.ts';
import { type Given, readDay } from '../../options.ts';
import { commonZone } from './sql.ts';

type ExplainOptions = Given<'shop'> & { readonly day: string; readonly since: string };
type Asked = { readonly day: string; readonly since: Temporal.Instant; readonly isOneOfMany: boolean };

/** `explain daily_sales`: the orders that make the difference between what the report said of a day and says now. */
export async function explainCommand(context: CliContext, _report: string, options: ExplainOptions) {
  const day = readDay('--day', options.day).toString();
  await using warehouse = await openWarehouse(context, readConfig(context));
  const shops = await findStoredShops(warehouse.db, options.shop);
  const since = readSince(options.since, commonZone(shops), Temporal.Now.instant());
  if (shops.length === 0) note(context, NO_SHOP_YET);
  const asked = { day, since, isOneOfMany: shops.length > 1 };
  const shopIds = shops.map(({ shopId }) => shopId);
  let worst: ExitCode = EXIT.done;
  for (const shop of await readSalesChanges(warehouse, { day, since: since.toString(), shopIds })) {
    worst = worse(worst, printShop(context, shop, asked));
  }
  return worst;
}

/** @param zone of a time that names none */
function readSince(given: string, zone: string, now: Temporal.Instant): Temporal.Instant {
  const since = parseTime(given, zone, now);
  if (since === undefined) {
    throw new UsageError(
      `--since ${given} is no time such as 2026-01-31, 2026-01-31T09:00, 2026-01-31T08:00Z, or 7d for a week ago`,
    );
  }
  if (Temporal.Instant.compare(since, now) > 0) throw new UsageError(`--since ${given} is in the future`);
  return since;
}

function parseTime(given: string, zone: string, now: Temporal.Instant): Temporal.Instant | undefined {
  const agoMs = parseDurationMs(given);
  if (agoMs !== undefined) return now.subtract({ milliseconds: agoMs });
  try {
    return /(?:Z|[+-]\d\d:?\d\d)$/i.test(given) && given.includes('T')
      ? Temporal.Instant.from(given)
      : Temporal.PlainDateTime.from(given).toZonedDateTime(zone).toInstant();
  } catch {
    return undefined;
  }
}

function printShop(context: CliContext, { shop, versionsSince, past }: ShopChanges, asked: Asked): ExitCode {
  if (past === null) {
    const known =
      versionsSince === null
        ? 'is not recorded in this warehouse'
        : `is recorded since ${utcText(Temporal.Instant.from(versionsSince))}; give --since that time or a later one`;
    const error = new UsageError(`what reports said of ${shop} ${known}`);
    return reportError(context, error, { shopKey: shop, isOneOfMany: asked.isOneOfMany });
  }
  const { day, since } = asked;
  const question = { report: 'daily_sales', day, since: since.toString() };
  const document = { shop, status: 'ok', error: null, ...question, ...past };
  printResult(context, [document], changesText(shop, past, asked, context.io.outColumns()));
  return EXIT.done;
}

function changesText(
  shop: string,
  { currencies, orders }: NonNullable<ShopChanges['past']>,
  { day, since }: Asked,
  columns: number | undefined,
): string {
  const title = `${shop}, daily_sales of ${day}`;
  if (orders.length === 0) return `${title}: it says what it said on ${utcText(since)}.\n`;
  const figures = currencies.flatMap(({ currency, was, now, change }) =>
    changed([change]).map((name) => [
      currency ?? 'none',
      name,
      String(was[name]),
      String(now[name]),
      signed(change[name]),
    ]),
  );
  const shown = changed(orders);
  const rows = orders.map((order) => [
    order.order_id,
    order.currency ?? 'none',
    order.cause,
    ...shown.map((name) => signed(order[name])),
  ]);
  return [
    `${title}: what it said on ${utcText(since)}, and what it says now\n\n`,
    table([['currency', 'figure', 'then', 'now', 'change'], ...figures], columns),
    '\n',
    table([['order', 'currency', 'cause', ...shown], ...rows], columns),
  ].join('');
}

/** The figures that are not 0 everywhere. */
const changed = (rows: readonly Figures[]) =>
  FIGURE_NAMES.filter((name) => rows.some((row) => Number(row[name]) !== 0));

function signed(value: string | number): string {
  return Number(value) > 0 ? `+${value}` : String(value);
}
