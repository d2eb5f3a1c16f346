import { integer } from '../../../config/setting-types.ts';
import type { ShopConfig } from '../../../config/shop-config.ts';
import type { OrdersQuery } from '../../../shop-api/endpoints/list-orders.ts';
import {
  type ComparedOrder,
  type FetchedOrder,
  fetchGroups,
  fetchOrder,
  fetchOrders,
  fetchUser,
} from '../../../sync/fetch/fetch-records.ts';
import { findShop } from '../../../warehouse/directory/registered-shops.ts';
import { missingText } from '../../../model/missing-orders.ts';
import { openWarehouse } from '../../open.ts';
import {
  amount,
  type CommandOptions,
  orderId as idType,
  readAs,
  readDays,
  readOption,
} from '../../options.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { type Block, factsOf, print, rowsOf } from '../../output/layout.ts';
import { openBriefly } from '../../each-shop.ts';
import { readOneShop } from '../../shops.ts';

type FetchOptions = CommandOptions<'shop', 'pii'>;
type Filters = 'status' | 'payStatus' | 'name' | 'address' | 'email' | 'phone' | 'sumFrom' | 'sumTo';
type FetchOrdersOptions = FetchOptions &
  CommandOptions<Filters | 'color' | 'product' | 'buyer' | 'from' | 'to'> & { readonly limit: string };

const MAX_ORDERS = 10_000;

/** `fetch orders`: asks the shop for orders by its own filters, and stores nothing. */
export async function fetchOrdersCommand(context: CliContext, options: FetchOrdersOptions) {
  const query = toQuery(options);
  const limit = readAs(integer(1, MAX_ORDERS), options.limit, '--limit');
  const shop = readOneShop(context, options.shop);
  const { signal } = context;
  const isShown = options.pii === true;
  const { orders, isCut } = await fetchOrders(openBriefly(shop), shop, query, limit, signal, isShown);
  const shown = orders.map(orderJson);
  const cut = isCut ? [`These are the first ${limit}; --limit shows more.`] : [];
  const found = orders.length === 0 ? ['The shop lists no such order.'] : [rowsOf(shown)];
  print(context, [...found, ...cut], shown);
}

/** `fetch user`: asks the shop for one user, and stores nothing. */
export async function fetchUserCommand(context: CliContext, key: string, options: FetchOptions) {
  const shop = readOneShop(context, options.shop);
  const user = await fetchUser(openBriefly(shop), shop, key, context.signal);
  if (user === undefined) return printNone(context, 'user');
  const created_at = user.row.created_at?.toString() ?? null;
  const document = { ...user.row, created_at, ...(options.pii === true ? user.person : {}) };
  print(context, [factsOf(document)], [document]);
  return EXIT.done;
}

/** `fetch groups`: asks the shop for the groups directly below one, and stores nothing. */
export async function fetchGroupsCommand(
  context: CliContext,
  options: FetchOptions & { readonly parent: string },
) {
  const shop = readOneShop(context, options.shop);
  const groups = await fetchGroups(openBriefly(shop), shop, options.parent, context.signal);
  const found = rowsOf(groups, ['group_oid', 'parent_oid', 'name', 'url', 'sort']);
  print(context, groups.length === 0 ? ['The shop lists no group there.'] : [found], groups);
}

/** `fetch order`: asks the shop for one order, stores nothing, and shows where the warehouse has it otherwise. */
export async function fetchOrderCommand(context: CliContext, id: string, options: FetchOptions) {
  const orderId = readAs(idType, id, 'order');
  const shop = readOneShop(context, options.shop);
  await using warehouse = await openWarehouse(context);
  const stored = await findShop(warehouse.db, shop.shopKey);
  const now = () => Temporal.Now.instant();
  const ports = { api: openBriefly(shop), db: warehouse.db, now, signal: context.signal };
  const compared = await fetchOrder(ports, shop, stored?.shopId, orderId, options.pii === true);
  const { order, lines, differences } = compared;
  const isGone = lines === undefined && order === undefined;
  const shown = order && orderJson(order);
  const document = {
    order_id: orderId,
    is_stored: compared.stored !== 'absent',
    order: shown ?? null,
    lines: isGone ? null : (lines ?? []),
    differences,
  };
  if (isGone) return printNone(context, 'order', goneText(compared, now()), [document]);
  print(context, orderText(shop, compared, shown), [document]);
  return EXIT.done;
}

function printNone(
  context: CliContext,
  what: string,
  more = '',
  documents: readonly object[] = [],
): ExitCode {
  print(context, [`The shop has no such ${what}.${more}`], documents);
  return EXIT.failed;
}

/** What the warehouse has of an order that is gone. */
function goneText({ stored, state }: ComparedOrder, now: Temporal.Instant): string {
  if (stored === 'absent') return '';
  if (state === 'deleted') return ' It is marked as deleted in the warehouse.';
  if (state !== 'live') return ` ${missingText(state, now)}.`;
  return ' The warehouse still counts it; the next sync that reads its day finds that it is gone.';
}

/** @throws UsageError */
function toQuery(options: FetchOrdersOptions): OrdersQuery {
  const { status, payStatus, name: fio, address, email, phone, sumFrom, sumTo, color, product } = options;
  const sums = {
    summ_from: readOption(amount, sumFrom, '--sum-from'),
    summ_to: readOption(amount, sumTo, '--sum-to'),
  };
  const { from, to } = readDays(options);
  const person = { fio, address, email, phone, master_oid: options.buyer };
  return {
    filters: { status, pay_status: payStatus, color, product, ...person, ...sums },
    ...(from && { dateFrom: from.toPlainDateTime() }),
    ...(to && { dateTo: to.toPlainDateTime('23:59:59') }),
  };
}

function orderJson({ row, person }: FetchedOrder) {
  const { order_id, created_local, updated_local, status_code, pay_status_code, currency } = row;
  const { order_sum, paid_amount, item_count, delivery_name, buyer_oid, color } = row;
  const head = { order_id, created_local, updated_local, status_code, pay_status_code, currency };
  const body = { order_sum, paid_amount, item_count, delivery_name, buyer_oid, color };
  return { ...head, ...body, ...person };
}

const LINE_COLUMNS = ['line_no', 'sku', 'product_name', 'quantity', 'unit_price', 'line_total'];

function orderText(
  { shopKey }: ShopConfig,
  { lines = [], stored, differences }: ComparedOrder,
  order: ReturnType<typeof orderJson> | undefined,
): readonly Block[] {
  const compared = differences.map(({ line_no, column_name, shop, warehouse }) => ({
    what: line_no === 0 ? 'order' : `line ${line_no}`,
    column: column_name,
    shop,
    warehouse,
  }));
  const differ = ['The warehouse differs:', rowsOf(compared)];
  const verdicts: Readonly<Record<ComparedOrder['stored'], readonly Block[]>> = {
    absent: [
      `Only its lines are shown: the rest would come from the warehouse, which does not have this order of shop ${shopKey}.`,
    ],
    hidden: ['It is stored without its person, and not compared.'],
    compared: differences.length === 0 ? ['The warehouse has the same values.'] : differ,
  };
  const head = order === undefined ? [] : [factsOf(order), ''];
  const body = lines.length === 0 ? 'It has no lines.' : rowsOf(lines, LINE_COLUMNS);
  return [...head, body, '', ...verdicts[stored]];
}
