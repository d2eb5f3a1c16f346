import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { Http } from '../../http/http-client.ts';
import type { RetryPolicy } from '../../http/retry.ts';
import { listEntries, type Shaped, wireCount, type WireEntry, wireId } from '../wire-schemas.ts';

/** The documented filters of the orders list. Times are shop-local; both ends may be taken as inclusive by a shop. */
export type OrdersQuery = {
  /** Position of the first row. @default 0 */
  readonly start?: number;
  /** Rows wanted; the shop may give fewer without saying so. @default 100 */
  readonly limit?: number;
  readonly dateFrom?: Temporal.PlainDateTime;
  readonly dateTo?: Temporal.PlainDateTime;
  /** Substring of the buyer's name; `address`, `email` and `phone` likewise. */
  readonly fio?: string;
  readonly address?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly summFrom?: number | string;
  readonly summTo?: number | string;
  readonly payStatus?: string;
  readonly color?: string;
  readonly status?: string;
  /** Only orders that contain this product. */
  readonly product?: string;
  /** Only orders of this buyer; 6 is the guest. */
  readonly masterOid?: string;
};

/** An order of the list: its identifier, and the row as it came, with its `order_id` in it. */
export type ListRow = { readonly orderId: string; readonly raw: JsonObject };

export type OrdersPage = {
  readonly rows: readonly ListRow[];
  /** Elements that have no usable identifier. */
  readonly malformed: readonly JsonValue[];
  /** Elements of the answer, the malformed ones included: what `start` must advance by. */
  readonly received: number;
  /** What tells the elements apart, in the order of the answer: the identifier, or the text of a malformed one. */
  readonly keys: readonly string[];
  /** The elements came as an object, which does not keep the order of the list. */
  readonly isKeyed: boolean;
  /** As the shop says it; whether it counts all orders or the matching ones is not documented. */
  readonly total: number | undefined;
};

/** GET /orders. @throws TerminalError, TransientError */
export async function listOrders(
  http: Http,
  query: OrdersQuery,
  signal?: AbortSignal,
  { maxTries }: Pick<RetryPolicy, 'maxTries'> = {},
): Promise<OrdersPage> {
  return http.send({
    route: 'orders',
    method: 'GET',
    path: 'orders',
    query: wireQuery(query),
    readShape: readOrders,
    signal,
    maxTries,
  });
}

/** DD-MM-YYYY HH:MM:SS, as the filters want it. */
export function wireTime(time: Temporal.PlainDateTime): string {
  const two = (part: number) => String(part).padStart(2, '0');
  const year = String(time.year).padStart(4, '0');
  const clock = [time.hour, time.minute, time.second].map(two).join(':');
  return `${two(time.day)}-${two(time.month)}-${year} ${clock}`;
}

/** The parameters as they are sent. */
export function wireQuery(query: OrdersQuery): Record<string, string | number | undefined> {
  return {
    start: query.start,
    limit: query.limit,
    date_from: query.dateFrom && wireTime(query.dateFrom),
    date_to: query.dateTo && wireTime(query.dateTo),
    fio: query.fio,
    address: query.address,
    email: query.email,
    phone: query.phone,
    summ_from: query.summFrom,
    summ_to: query.summTo,
    pay_status: query.payStatus,
    color: query.color,
    status: query.status,
    product: query.product,
    master_oid: query.masterOid,
  };
}

function readOrders(value: JsonValue): Shaped<OrdersPage> {
  if (isJsonArray(value) && value.length === 0) return { value: page([], undefined) };
  const { orders, total } = isJsonObject(value) ? value : {};
  const entries = listEntries(orders);
  return entries === undefined
    ? { mismatch: 'orders: must be a list' }
    : { value: page(entries, wireCount(total)) };
}

function page(entries: readonly WireEntry[], total: number | undefined): OrdersPage {
  const rows: ListRow[] = [];
  const malformed: JsonValue[] = [];
  const keys = entries.map(({ key, value }) => {
    const row = isJsonObject(value) ? rowOf(value, key) : undefined;
    if (row !== undefined) rows.push(row);
    else malformed.push(value);
    return row?.orderId ?? JSON.stringify(value);
  });
  const isKeyed = entries.some(({ key }) => key !== undefined);
  return { rows, malformed, received: entries.length, keys, isKeyed, total };
}

/** A row that leaves its identifier to its key is given it, so that it can stand alone. */
function rowOf(value: JsonObject, key: string | undefined): ListRow | undefined {
  const own = value['order_id'];
  const isLeftToKey = key !== undefined && (own === undefined || own === null || own === '');
  const orderId = wireId(isLeftToKey ? key : own);
  if (orderId === undefined) return undefined;
  return { orderId, raw: isLeftToKey ? { ...value, order_id: orderId } : value };
}
