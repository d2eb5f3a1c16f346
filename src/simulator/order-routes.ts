/** `/orders` and `/orders/ID`. */
import { type ApiContext, type ApiDeps, cutList, sendError, sendJson } from './answer.ts';
import { findOrders } from './order-list.ts';
import { parseOrderQuery } from './order-query.ts';
import type { SimOrder } from './sim-order.ts';
import { RowWriter } from './wire-order.ts';
import { wireValues } from './wire-values.ts';

type Handler = (c: ApiContext) => Response;

export function orderRoutes(deps: ApiDeps): { readonly list: Handler; readonly content: Handler } {
  const writer = new RowWriter(deps.world);
  return {
    list: (c) => sendJson(c, deps, listJson(c, deps, writer)),
    content: (c) => sendContent(c, deps, writer),
  };
}

function listJson(c: ApiContext, deps: ApiDeps, writer: RowWriter): string {
  const { world, pageCap } = deps;
  const page = findOrders(world.orders, parseOrderQuery(c.req.query()), world.dialect, pageCap);
  const orders = cutList(c, page.orders);
  if (orders.length === 0 && world.dialect.emptyAnswer === 'array') return '[]';
  const total = totalJson(deps, page.matches);
  return `{"orders":${ordersJson(deps, writer, orders)}${total === undefined ? '' : `,"total":${total}`}}`;
}

function ordersJson(deps: ApiDeps, writer: RowWriter, orders: readonly SimOrder[]): string {
  // PHP encodes a map without entries as an array.
  if (deps.world.dialect.orders === 'array' || orders.length === 0) {
    return `[${orders.map((order) => writer.row(order)).join(',')}]`;
  }
  return `{${orders.map((order) => `"${order.orderId}":${writer.row(order)}`).join(',')}}`;
}

function totalJson(deps: ApiDeps, matches: number): string | undefined {
  const { total } = deps.world.dialect;
  if (total === 'absent') return undefined;
  const count = total.startsWith('all') ? deps.world.orders.sorted.length : matches;
  return total.endsWith('-string') ? `"${count}"` : String(count);
}

function sendContent(c: ApiContext, deps: ApiDeps, writer: RowWriter): Response {
  const { dialect, orders } = deps.world;
  const id = c.req.param('id') ?? '';
  const order = /^\d{1,15}$/.test(id) ? orders.get(Number(id)) : undefined;
  if (order === undefined && dialect.unknownOrder === '404') {
    return sendError(c, deps, 404, 'no such order');
  }
  const ordercontent = order === undefined ? [] : writer.lines(order);
  const success = wireValues(dialect).whole(order === undefined ? 0 : 1);
  const answer =
    dialect.content === 'nested' ? { content: { ordercontent }, success } : { ordercontent, success };
  return sendJson(c, deps, JSON.stringify(answer));
}
