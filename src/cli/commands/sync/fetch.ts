import { UsageError } from '../../../errors.ts';
import type { ShopConfig } from '../../../config/shop-settings.ts';
import type { OrdersQuery } from '../../../shop-api/endpoints/list-orders.ts';
import { createShopApi } from '../../../shop-api/shop-api.ts';
import { type FetchedOrder, fetchGroups, fetchOrders, fetchUser } from '../../../sync/fetch/fetch-lists.ts';
import { type ComparedOrder, fetchOrder } from '../../../sync/fetch/fetch-order.ts';
import { findShop } from '../../../warehouse/directory/registered-shops.ts';
import { type CliContext, EXIT, type ExitCode, printResult } from '../../output/io.ts';
import { facts, table } from '../../output/table.ts';
import { openWarehouse, readConfig, readOneShop } from '../../open.ts';
import { dayRangeOption } from './day-option.ts';
import { toOrderId } from './order-option.ts';

export type FetchOptions = { readonly shop?: string; readonly pii?: boolean };
export type FetchOrdersOptions = FetchOptions &
  Partial<Record<(typeof FILTERS)[number], string>> & {
    readonly from?: string;
    readonly to?: string;
    readonly limit: string;
  };

const FILTERS = [
  'status',
  'payStatus',
  'name',
  'address',
  'email',
  'phone',
  'sumFrom',
  'sumTo',
  'color',
  'product',
  'buyer',
] as const;
const MAX_ORDERS = 10_000;

/** `fetch orders`: asks the shop for orders by its own filters, and stores nothing. */
export async function fetchOrdersCommand(
  context: CliContext,
  options: FetchOrdersOptions,
): Promise<ExitCode> {
  const query = toQuery(options);
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ORDERS)
    throw new UsageError(`--limit ${options.limit}: a number from 1 to ${MAX_ORDERS} is expected`);
  const shop = readOneShop(context, options.shop);
  const { orders, isCut } = await fetchOrders(createShopApi(shop), shop, query, limit, context.signal);
  const shown = orders.map((order) => orderJson(order, options.pii));
  const cut = isCut ? `These are the first ${limit}; --limit shows more.\n` : '';
  const text = orders.length === 0 ? 'The shop lists no such order.\n' : `${rowsText(context, shown)}${cut}`;
  printResult(context, shown, text);
  return EXIT.done;
}

/** `fetch user`: asks the shop for one user, and stores nothing. */
export async function fetchUserCommand(
  context: CliContext,
  key: string,
  options: FetchOptions,
): Promise<ExitCode> {
  const shop = readOneShop(context, options.shop);
  const user = await fetchUser(createShopApi(shop), shop, key, context.signal);
  if (user === undefined) return printNone(context, 'user');
  const document = { ...user.row, ...(options.pii === true ? user.person : {}) };
  printResult(context, [document], factsText(context, document));
  return EXIT.done;
}

/** `fetch groups`: asks the shop for the groups directly below one, and stores nothing. */
export async function fetchGroupsCommand(
  context: CliContext,
  options: FetchOptions & { readonly parent: string },
): Promise<ExitCode> {
  const shop = readOneShop(context, options.shop);
  const groups = await fetchGroups(createShopApi(shop), shop, options.parent, context.signal);
  const columns = groups.map(({ group_oid, parent_oid, name, url, sort }) => ({
    group_oid,
    parent_oid,
    name,
    url,
    sort,
  }));
  printResult(
    context,
    groups,
    groups.length === 0 ? 'The shop lists no group there.\n' : rowsText(context, columns),
  );
  return EXIT.done;
}

/** `fetch order`: asks the shop for one order, stores nothing, and shows where the warehouse has it otherwise. */
export async function fetchOrderCommand(
  context: CliContext,
  id: string,
  options: FetchOptions,
): Promise<ExitCode> {
  const orderId = toOrderId(id);
  const shop = readOneShop(context, options.shop);
  await using warehouse = await openWarehouse(context, readConfig(context));
  const stored = await findShop(warehouse.db, shop.shopKey);
  const now = () => Temporal.Now.instant();
  const ports = { api: createShopApi(shop), db: warehouse.db, now, signal: context.signal };
  const compared = await fetchOrder(ports, shop, stored?.shopId, orderId);
  if (compared.lines === undefined && compared.order === undefined) return printNone(context, 'order');
  const { order, lines, differences } = compared;
  const shown = order && orderJson(order, options.pii);
  const document = {
    order_id: orderId,
    is_stored: compared.stored !== 'absent',
    order: shown ?? null,
    lines: lines ?? [],
    differences,
  };
  printResult(context, [document], orderText(context, shop, compared, shown));
  return EXIT.done;
}

function printNone(context: CliContext, what: string): ExitCode {
  printResult(context, [], `The shop has no such ${what}.\n`);
  return EXIT.failed;
}

/** @throws UsageError */
function toQuery(options: FetchOrdersOptions): OrdersQuery {
  const { status, payStatus, name: fio, address, email, phone, sumFrom, sumTo, color, product } = options;
  const sums = { summFrom: toSum('--sum-from', sumFrom), summTo: toSum('--sum-to', sumTo) };
  const { from, to } = dayRangeOption(options);
  const [dateFrom, dateTo] = [from?.toPlainDateTime(), to?.toPlainDateTime('23:59:59')];
  const given = { status, payStatus, fio, address, email, phone, color, product, masterOid: options.buyer };
  const filters = { ...given, ...sums, dateFrom, dateTo };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

function toSum(option: string, given: string | undefined): string | undefined {
  if (given === undefined || /^-?\d+(\.\d+)?$/.test(given)) return given;
  throw new UsageError(`${option} ${given}: an amount is expected, such as 99.90`);
}

function orderJson({ row, person }: FetchedOrder, pii = false) {
  const { order_id, created_local, updated_local, status_code, pay_status_code, currency } = row;
  const { order_sum, paid_amount, item_count, delivery_name, buyer_oid, color } = row;
  const times = { created_local, updated_local };
  const amounts = { currency, order_sum, paid_amount, item_count };
  return {
    order_id,
    ...times,
    status_code,
    pay_status_code,
    ...amounts,
    delivery_name,
    buyer_oid,
    color,
    ...(pii ? person : {}),
  };
}

function orderText(
  context: CliContext,
  { shopKey }: ShopConfig,
  { lines = [], stored, differences }: ComparedOrder,
  order: ReturnType<typeof orderJson> | undefined,
): string {
  const shownLines = lines.map(({ line_no, sku, product_name, quantity, unit_price, line_total }) => ({
    line_no,
    sku,
    product_name,
    quantity,
    unit_price,
    line_total,
  }));
  const compared = differences.map(({ line_no, column_name, shop, warehouse }) => ({
    what: line_no === 0 ? 'order' : `line ${line_no}`,
    column: column_name,
    shop,
    warehouse,
  }));
  const verdicts = {
    absent: `The warehouse has no such order of shop ${shopKey}; when it was placed, and all but its lines, is known from there.\n`,
    hidden: 'It is stored without its person, and not compared.\n',
    compared:
      differences.length === 0
        ? 'The warehouse has it so too.\n'
        : `The warehouse differs:\n${rowsText(context, compared)}`,
  };
  const head = order === undefined ? '' : `${factsText(context, order)}\n`;
  const body = shownLines.length === 0 ? 'It has no lines.\n' : rowsText(context, shownLines);
  return `${head}${body}\n${verdicts[stored]}`;
}

type Value = string | number | boolean | null | undefined;
type Shown = Readonly<Record<string, Value>>;

function rowsText({ io }: CliContext, rows: readonly Shown[]): string {
  const names = Object.keys(rows[0] ?? {});
  return table([names, ...rows.map((row) => names.map((name) => cell(row[name])))], io.outColumns());
}

function factsText({ io }: CliContext, row: Shown): string {
  return facts(
    Object.entries(row).map(([name, value]) => [name, cell(value)]),
    io.outColumns(),
  );
}

const cell = (value: Value) => String(value ?? '');
