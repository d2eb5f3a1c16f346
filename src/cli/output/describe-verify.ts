/** What a comparison found, for people. */
import { grouped } from '../../model/amount-text.ts';
import { missingText } from '../../model/missing-orders.ts';
import { nextStep } from '../../model/next-step.ts';
import { differingOf, type VerifyResult } from '../../sync/verify/verify-shop.ts';
import type { MonthComparison } from '../../warehouse/orders/live-orders.ts';
import type { Block } from './layout.ts';

const ORDERS_SHOWN = 20;

export function verifyText(
  result: VerifyResult,
  isRepair: boolean,
  now = Temporal.Now.instant(),
): readonly Block[] {
  const { months, differences, problems } = result;
  const wrong = differingOf(differences);
  const gone = differences.flatMap(({ confirmed_at: at }) => (at === null ? [] : Temporal.Instant.from(at)));
  const [confirmedAt] = gone.toSorted((one, other) => Temporal.Instant.compare(other, one));
  const missing = confirmedAt === undefined ? [] : [{ orders: gone.length, confirmedAt }];
  const shown = wrong.slice(0, ORDERS_SHOWN);
  const more = wrong.length - shown.length;
  const orders = shown.map(
    ({ order_id, day, kind }) =>
      `  order ${order_id} ${day === null ? 'without a readable date' : `of ${day}`}: ${kind}`,
  );
  return [
    ...(months.length > 0 ? [monthsTable(result)] : []),
    verdict(result, wrong.length),
    ...orders,
    ...(more > 0 ? [`  and ${grouped(more)} more; --json lists all.`] : []),
    ...missing.map((orders) => `${missingText(orders, now)}.`),
    ...dueText(differences.length - wrong.length - gone.length, isRepair),
    ...outsideText(result),
    ...problems.map((reason) => `Not compared: ${reason}.`),
    ...adviceText(result, wrong.length, isRepair),
  ];
}

/** A row per month and currency, and one per currency for all months. */
function monthsTable({ months, currencies }: VerifyResult): Block {
  const heading = ['month', 'currency', 'orders in shop', 'in warehouse', 'sum in shop', 'in warehouse', ''];
  const row = ({ month, currency, shop, warehouse, is_equal }: MonthComparison) => [
    month,
    currency,
    grouped(shop.orders),
    grouped(warehouse.orders),
    shop.sum,
    warehouse.sum,
    is_equal ? '' : differs({ shop, warehouse }),
  ];
  const totals = currencies.map((sums) => ({ month: 'all', ...sums }));
  return { table: [heading, ...[...months, ...totals].map(row)] };
}

/** The sums over all months may be equal although single months differ. */
function differs({ shop, warehouse }: Pick<MonthComparison, 'shop' | 'warehouse'>): string {
  return shop.orders === warehouse.orders && shop.sum === warehouse.sum ? 'months differ' : 'differs';
}

/** @param wrong how many orders of verified days differ */
function verdict(
  { differences, is_equal: isEqual, problems, ...result }: VerifyResult,
  wrong: number,
): string {
  const { list_requests: lists, content_requests: contents } = result;
  const requests = `${grouped(lists)} list requests${contents === 0 ? '' : `, ${grouped(contents)} of contents`}`;
  if (wrong === 1) return '1 order of the verified days differs:';
  if (wrong > 1) return `${grouped(wrong)} orders of the verified days differ:`;
  if (differences.length > 0 && problems.length === 0)
    return `No order of the verified days differs (${requests}).`;
  if (problems.length > 0)
    return `The comparison is incomplete: no difference in what was read (${requests}).`;
  return isEqual
    ? `No order differs (${requests}).`
    : `Months differ, although no order does (${requests}): orders changed while they were read; compare again.`;
}

function dueText(orders: number, isRepair: boolean): readonly string[] {
  if (orders === 0) return [];
  const differ =
    orders === 1
      ? '1 more order differs: it changed after its day was last read, or its day is due'
      : `${grouped(orders)} more orders differ: they changed after their days were last read, or their days are due`;
  const advice = isRepair
    ? ''
    : ` The next sweeps load them when their days are due; \`${nextStep('repair')}\` does so now.`;
  return [`${differ}.${advice}`];
}

function outsideText(result: VerifyResult): readonly string[] {
  const { orders_outside_verified_days: orders, orders_without_date: undated } = result;
  if (orders === 0) return [];
  const dates = undated === 0 ? '' : `, ${grouped(undated)} of them without a readable date`;
  return [`Orders outside the verified days: ${grouped(orders)}${dates}.`];
}

/** How to repair what differs, or why nothing is repaired. */
function adviceText({ differences, ...result }: VerifyResult, wrong: number, isRepair: boolean) {
  if (!isRepair) return wrong > 0 ? [`\`${nextStep('repair')}\` syncs their days again.`] : [];
  if (differences.length + result.orders_with_doubtful_lines > 0) return [];
  if (result.problems.length > 0) return ['Not repaired: it is not known which orders differ.'];
  return [result.is_equal ? 'Nothing to repair: no order differs.' : 'Not repaired: compare again.'];
}
