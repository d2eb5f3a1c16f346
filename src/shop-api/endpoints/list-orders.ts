import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Window } from '../../model/window.ts';
import type { ApiClient } from '../wire/api-request.ts';
import { emptyFormOf, hasMessage, listReader, type Shaped } from '../wire/read-answer.ts';
import type { RetryPolicy } from '../../http/http-options.ts';
import { listEntries, wireCount, type WireEntry, wireId } from '../wire/wire-values.ts';

/** What the orders list is asked for. Times are shop-local; a shop may treat both ends as inclusive. */
export type OrdersQuery = {
  /** Position of the first row. @default 0 */
  readonly start?: number;
  /** Rows wanted; the shop may return fewer without saying so. @default 100 */
  readonly limit?: number;
  readonly dateFrom?: Temporal.PlainDateTime;
  readonly dateTo?: Temporal.PlainDateTime;
  readonly filters?: OrderFilters;
};

/**
 * The other documented filters, as they are sent: `fio`, `address`, `email` and `phone` are parts of the buyer's, `product` is
 * contained, `master_oid` is the buyer, 6 the guest.
 */
export type OrderFilters = Readonly<
  Partial<Record<PersonFilter | ImpersonalFilter, string | number | undefined>>
>;
type PersonFilter = 'fio' | 'address' | 'email' | 'phone' | 'master_oid';
export type ImpersonalFilter = 'summ_from' | 'summ_to' | 'pay_status' | 'color' | 'status' | 'product';

/** An order of the list: its identifier, and the row as it came, with its `order_id` in it. */
export type ListRow = { readonly orderId: string; readonly raw: JsonObject };

export type OrdersPage = {
  readonly rows: readonly ListRow[];
  /** Elements without a usable identifier, or with one that a different element of the page has too. */
  readonly malformed: readonly JsonValue[];
  /** Elements received, malformed ones included: what `start` must advance by. */
  readonly received: number;
  /** What distinguishes the elements, in the order of the list: identifier and time, or the text of a malformed one. */
  readonly keys: readonly string[];
  /** The elements came as an object, which does not keep the order of the list. */
  readonly isKeyed: boolean;
  /** As reported by the shop; whether it counts all orders or the matching ones is not documented. */
  readonly total: number | undefined;
  /** How the shop says that there are no rows, where not by an empty list. */
  readonly emptyForm?: string;
};

export type ListOptions = Partial<Pick<RetryPolicy, 'maxAttempts'>>;

/** Dates of an open end: before and after all orders that a date filter is trusted with. */
export const FARTHEST: Window = {
  from: Temporal.PlainDateTime.from('1970-01-01T00:00:00'),
  to: Temporal.PlainDateTime.from('2037-12-31T23:59:00'),
};
const LAST_DAY = FARTHEST.to.toPlainDate();

/**
 * Whether a request is for the beginning of a list without filters: its answer shows whether there are any rows at all.
 */
export function isWidest({ dateFrom, dateTo, ...query }: OrdersQuery): boolean {
  const isAllDates = dateFrom === undefined && dateTo === undefined;
  const isFarthest =
    dateFrom?.equals(FARTHEST.from) === true && dateTo?.toPlainDate().equals(LAST_DAY) === true;
  const others = Object.entries(toWireQuery(query));
  return (
    (isAllDates || isFarthest) && others.every(([name, value]) => name === 'limit' || (value ?? 0) === 0)
  );
}

/** A request for nothing that is not repeated, which a shop that is up answers: of some second of a year before any shop. */
export function createUncachedQuery(): OrdersQuery {
  const seconds = Math.floor(Math.random() * 365 * 86_400);
  const dateFrom = Temporal.PlainDateTime.from('1971-01-01T00:00').add({ seconds });
  return { limit: 1, dateFrom, dateTo: dateFrom.add({ seconds: 1 }) };
}

/** GET /orders. @throws TerminalError, TransientError */
export async function listOrders(
  client: ApiClient,
  query: OrdersQuery,
  signal?: AbortSignal,
  { maxAttempts }: ListOptions = {},
): Promise<OrdersPage> {
  return client.send({
    route: 'orders',
    method: 'GET',
    path: 'orders',
    query: toWireQuery(query),
    read: listReader(readOrders, noRows),
    alsoReads: 'no rows',
    isWidest: isWidest(query),
    signal,
    maxAttempts,
  });
}

/** DD-MM-YYYY HH:MM:SS, as the filters expect it. */
function toWireTime(time: Temporal.PlainDateTime): string {
  const [year, month, day] = time.toPlainDate().toString().split('-');
  return `${day}-${month}-${year} ${time.toPlainTime().toString({ smallestUnit: 'second' })}`;
}

/** The parameters as they are sent. */
export function toWireQuery(query: OrdersQuery): Record<string, string | number | undefined> {
  return {
    start: query.start,
    limit: query.limit,
    date_from: query.dateFrom && toWireTime(query.dateFrom),
    date_to: query.dateTo && toWireTime(query.dateTo),
    ...query.filters,
  };
}

const noRows = (emptyForm: string): OrdersPage => ({ ...page([], undefined), emptyForm });

function readOrders(value: JsonValue): Shaped<OrdersPage> {
  if (isJsonArray(value) && value.length === 0) return { value: page([], undefined) };
  const { orders, total } = isJsonObject(value) ? value : {};
  const entries = listEntries(orders);
  if (entries !== undefined) return { value: page(entries, wireCount(total)) };
  const none = emptyFormOf(isJsonObject(value) ? orders : value);
  if (none === undefined) return { mismatch: 'orders: must be a list' };
  const form = !isJsonObject(value) ? none : hasMessage(value) ? 'a message' : `${none} as "orders"`;
  return { value: { ...noRows(form), total: wireCount(total) } };
}

function page(entries: readonly WireEntry[], total: number | undefined): OrdersPage {
  const read = entries.map(({ key, value }) => ({
    value,
    row: isJsonObject(value) ? readRow(value, key) : undefined,
  }));
  const ambiguousIds = findAmbiguousIds(read.flatMap(({ row }) => row ?? []));
  const rows: ListRow[] = [];
  const malformed: JsonValue[] = [];
  const taken = new Set<string>();
  const keys = read.map(({ row, value }) => {
    const isAmbiguous = row !== undefined && ambiguousIds.has(row.orderId);
    if (row === undefined || isAmbiguous) malformed.push(row?.raw ?? value);
    else rows.push(row);
    const key = row === undefined ? JSON.stringify(value) : rowKey(row);
    const own = isAmbiguous && taken.has(key) ? JSON.stringify(row.raw) : key;
    taken.add(own);
    return own;
  });
  const isKeyed = entries.some(({ key }) => key !== undefined);
  return { rows, malformed, received: entries.length, keys, isKeyed, total };
}

/** The identifier of a listed element; undefined where it has none that is usable. */
export function elementId(value: JsonValue): string | undefined {
  return isJsonObject(value) ? wireId(value['order_id']) : undefined;
}

/** Identifies a row in a list, in which two orders may have one identifier: by its time as well. */
export function rowKey({ orderId, raw }: ListRow): string {
  return JSON.stringify([orderId, raw['created'] ?? null, raw['time'] ?? null]);
}

/** Identifiers that rows with different contents have. */
function findAmbiguousIds(rows: readonly ListRow[]): ReadonlySet<string> {
  const first = new Map<string, ListRow>();
  const ambiguous = new Set<string>();
  for (const row of rows) {
    const other = first.get(row.orderId);
    if (other === undefined) first.set(row.orderId, row);
    else if (JSON.stringify(other.raw) !== JSON.stringify(row.raw)) ambiguous.add(row.orderId);
  }
  return ambiguous;
}

/** Where only the key holds the identifier, it is copied into the row, which then stands alone. */
function readRow(value: JsonObject, key: string | undefined): ListRow | undefined {
  const own = value['order_id'];
  const isOnlyInKey = key !== undefined && (own === undefined || own === null || own === '');
  const orderId = wireId(isOnlyInKey ? key : own);
  if (orderId === undefined) return undefined;
  return { orderId, raw: isOnlyInKey ? { ...value, order_id: orderId } : value };
}
