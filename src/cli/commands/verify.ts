import { fromCents, type MonthComparison } from '../../plan/compare-months.ts';
import { sweepShop } from '../../sync/sweep/sweep-shop.ts';
import { type VerifyResult, verifyShop } from '../../sync/verify/verify-shop.ts';
import { dayRangeOption } from '../day-option.ts';
import { forEachShop, type OpenShop } from '../each-shop.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../output/io.ts';
import { readShopsConfig } from '../open.ts';
import { grouped, table } from '../output/table.ts';

export type VerifyOptions = {
  readonly shop?: string;
  readonly json?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly repair?: boolean;
};

const ORDERS_SHOWN = 20;

/** `verify`: compares the shop's list with the warehouse; `--repair` then syncs the days that differ. */
export async function verifyCommand(context: CliContext, options: VerifyOptions): Promise<ExitCode> {
  const range = dayRangeOption(options);
  return forEachShop(context, readShopsConfig(context, options.shop), options, (opened) =>
    verifyOne(context, options, range, opened),
  );
}

async function verifyOne(
  context: CliContext,
  options: VerifyOptions,
  range: ReturnType<typeof dayRangeOption>,
  { run, isOneOfMany }: OpenShop,
): Promise<ExitCode> {
  const repair = options.repair === true;
  const { shopKey } = run.shop;
  const result = await verifyShop(run, { ...range, makeDue: repair });
  const isEqual = result.differences.length === 0 && result.months.every((month) => month.isEqual);
  const heading = isOneOfMany ? `Shop ${shopKey}\n` : '';
  const json = { shop: shopKey, ...resultJson(result) };
  printResult(context.io, options, json, `${heading}${resultText(result)}`);
  if (result.differences.length > 0 && repair) {
    const { status, counts } = await sweepShop(run, {
      kind: 'backfill',
      ...result.days,
      audit: result.days.from === undefined && result.days.to === undefined,
    });
    const done = `Repaired: ${grouped(counts.days_verified)} days verified, ${grouped(counts.orders_new)} orders new, ${grouped(counts.orders_changed)} changed, ${grouped(counts.orders_missing)} missing.\n`;
    (options.json === true ? context.io.err : context.io.out)(done);
    return status === 'ok' ? EXIT.done : EXIT.partial;
  }
  if (!isEqual) return EXIT.different;
  return result.status === 'ok' ? EXIT.done : EXIT.partial;
}

function resultJson({ days, months, differences, counts, status, problems, outside }: VerifyResult) {
  const figures = ({ orders, cents }: MonthComparison['shop']) => ({ orders, sum: fromCents(cents) });
  return {
    status,
    from: days.from?.toString() ?? null,
    to: days.to?.toString() ?? null,
    months: months.map(({ month, currency, shop, warehouse, isEqual }) => ({
      month,
      currency,
      shop: figures(shop),
      warehouse: figures(warehouse),
      is_equal: isEqual,
    })),
    differences: differences.map(({ orderId, day, kind }) => ({ order_id: orderId, day, kind })),
    outside_verified_days: outside.orders,
    without_date: outside.undated,
    list_requests: counts.list_requests,
    shortfalls: problems,
  };
}

function resultText(result: VerifyResult): string {
  const { months, differences, problems, outside } = result;
  const heading = ['month', 'currency', 'orders in shop', 'in warehouse', 'sum in shop', 'in warehouse', ''];
  const rows = months.map(({ month, currency, shop, warehouse, isEqual }) => [
    month,
    currency,
    grouped(shop.orders),
    grouped(warehouse.orders),
    fromCents(shop.cents),
    fromCents(warehouse.cents),
    isEqual ? '' : 'differs',
  ]);
  const shown = differences.slice(0, ORDERS_SHOWN);
  const more = differences.length - shown.length;
  const orders = shown.map(
    ({ orderId, day, kind }) => `  order ${orderId} of ${day ?? 'an unknown day'}: ${kind}`,
  );
  return [
    ...(rows.length > 0 ? [table([heading, ...rows])] : []),
    verdict(result),
    ...orders,
    ...(more > 0 ? [`  and ${grouped(more)} more; --json lists all.`] : []),
    ...outsideText(outside),
    ...problems.map((reason) => `Not compared: ${reason}.`),
    ...(differences.length > 0 ? ['`order-sync verify --repair` syncs their days again.'] : []),
    '',
  ].join('\n');
}

function verdict({ differences, counts, problems }: VerifyResult): string {
  const requests = `${grouped(counts.list_requests)} list requests`;
  if (differences.length === 1) return '1 order differs:';
  if (differences.length > 1) return `${grouped(differences.length)} orders differ:`;
  if (problems.length === 0) return `No order differs (${requests}).`;
  return `The comparison is incomplete: no difference in what was read (${requests}).`;
}

function outsideText({ orders, undated }: VerifyResult['outside']): readonly string[] {
  if (orders === 0) return [];
  const dates = undated === 0 ? '' : `, ${grouped(undated)} of them without a readable date`;
  return [`Orders outside the verified days: ${grouped(orders)}${dates}.`];
}
