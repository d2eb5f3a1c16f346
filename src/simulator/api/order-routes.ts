/** `/orders` and `/orders/ID`. */
import type { Random } from '../shop/random.ts';
import { DAY_S } from '../shop/shop-clock.ts';
import type { StoredOrder } from '../shop/order-store.ts';
import type { SimOrder } from '../shop/sim-order.ts';
import type { SimulatedShop } from '../shop/simulated-shop.ts';
import { type ApiDeps, cutList, sendJson, sendRefusal, sendUnknown } from './answer.ts';
import type { ApiContext } from './simulated-faults.ts';
import { cutPage, findRows, isFalseEmpty, type ListPage, totalOf } from './order-list.ts';
import { type OrderQuery, parseOrderQuery } from './order-query.ts';
import { wireValues } from './wire-values.ts';

/** Larger list requests fail where the dialect says so. */
const MAX_ROWS = 20;
const MAX_DAYS = 31;
const FALSE_EMPTY = '{"orders":[],"total":0}';

export function getOrders(c: ApiContext, deps: ApiDeps): Response {
  const query = parseOrderQuery(c.req.query(), deps.shop.dialect);
  if (isTooLarge(query, deps.shop)) return c.body(null, 500);
  const json = listJson(c, deps, query);
  if (json !== undefined) return sendJson(c, deps, json);
  return c.body(null, deps.shop.dialect.brokenRow === '500' ? 500 : 200);
}

function isTooLarge({ limit, dateFrom = 0, dateTo }: OrderQuery, { dialect, store }: SimulatedShop): boolean {
  if (dialect.failing === 'limit') return limit > MAX_ROWS;
  const to = dateTo ?? store.sorted.at(-1)?.created ?? 0;
  return dialect.failing === 'span' && to - dateFrom > MAX_DAYS * DAY_S;
}

/** Undefined where one of the rows fails to serialize. */
function listJson(c: ApiContext, deps: ApiDeps, query: OrderQuery): string | undefined {
  const { shop, pages, writer } = deps;
  const { dialect } = shop;
  const random = deps.chance.next(new URL(c.req.url).search);
  if (isFalseEmpty(dialect, random)) return FALSE_EMPTY;
  const page = findRows(shop.store.sorted, query, dialect, random, pages.cap);
  const size = ({ order }: StoredOrder) => Buffer.byteLength(writer.row(order));
  const rows = cutList(c, cutPage(page.rows, dialect.pages, pages.bytes, size, random));
  if (rows.some(({ id }) => shop.refuses('row', id))) return undefined;
  if (rows.length === 0 && dialect.emptyAnswer === 'array') return '[]';
  const total = totalJson(deps, query, { ...page, rows }, random);
  const orders = rows.map(({ order }) => order);
  return `{"orders":${ordersJson(deps, orders)}${total === undefined ? '' : `,"total":${total}`}}`;
}

function ordersJson({ shop, writer }: ApiDeps, orders: readonly SimOrder[]): string {
  // PHP encodes a map without entries as an array.
  if (shop.dialect.orders === 'array' || orders.length === 0) {
    return `[${orders.map((order) => writer.row(order)).join(',')}]`;
  }
  return `{${orders.map((order) => `"${order.orderId}":${writer.row(order)}`).join(',')}}`;
}

function totalJson(
  { shop: { dialect, earlier, store } }: ApiDeps,
  query: OrderQuery,
  page: ListPage<StoredOrder>,
  random: Random,
): string | undefined {
  const counted =
    dialect.total === 'stale' ? findRows((earlier ?? store).sorted, query, dialect, random) : page;
  const total = totalOf(counted, store.sorted.length, dialect, random);
  return total === undefined ? undefined : dialect.total.endsWith('-string') ? `"${total}"` : String(total);
}

export function getContent(c: ApiContext, deps: ApiDeps): Response {
  const { shop } = deps;
  const { dialect } = shop;
  const id = c.req.param('id') ?? '';
  const order = /^\d{1,15}$/.test(id) ? shop.order(Number(id)) : undefined;
  if (shop.refuses('order', Number(id))) return sendRefusal(c, deps);
  if (order === undefined) return sendUnknown(c, deps, 'order');
  const served = dialect.contents === 'cached' ? (shop.earlier?.get(order.orderId) ?? order) : order;
  const all = deps.writer.lines(served);
  const ordercontent = dialect.contentLines === 0 ? all : all.slice(0, dialect.contentLines);
  const success = wireValues(dialect).whole(1);
  const content = dialect.content === 'nested' ? { content: { ordercontent } } : { ordercontent };
  return sendJson(c, deps, JSON.stringify({ ...content, success }));
}
