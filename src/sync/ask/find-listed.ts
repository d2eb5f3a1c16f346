import { TransientError } from '../../model/errors.ts';
import { isJsonObject } from '../../model/json.ts';
import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import { elementId, type ListRow, type OrdersPage } from '../../shop-api/endpoints/list-orders.ts';
import { readList, UNPLACED } from '../../shop-api/paging/list.ts';
import type { HeldOrder } from '../../warehouse/orders/stored-orders.ts';
import type { ListDeps } from '../../shop-api/paging/request-page.ts';
import { attempt } from './record-faults.ts';

export type ListRun = {
  readonly ports: Omit<ListDeps, 'book'> & { readonly shop: ShopZone };
  readonly state: ListDeps['book'];
};

/** Some shops filter by whole days. */
const MARGINS = [{ minutes: 1 }, { days: 1 }];
const MAX_PAGES = 20;

/**
 * Looks for an order where it was placed: the list cannot be asked for it by its number. Pages are read until one shows it.
 *
 * @param minute the one in which it was placed, shop-local
 * @param margins to look around it, one after the other @default a minute, and then a day
 * @returns undefined where it is not listed there
 * @throws TransientError where that is unclear, since the list could not be read to its end; what `listOrders` throws
 */
export async function findListed(
  { ports, state }: ListRun,
  orderId: string,
  minute: Temporal.PlainDateTime,
  margins: readonly Temporal.DurationLike[] = MARGINS,
  maxPages = MAX_PAGES,
): Promise<ListRow | undefined> {
  const readCreated = ({ raw }: ListRow) => createdMinute(raw, ports.shop);
  // Whatever the dates select by, a row that is the order's own shows it.
  const deps = { ...ports, book: { ...state, dateFilter: 'created' as const }, readCreated };
  const isWanted = (row: ListRow) => row.orderId === orderId;
  for (const margin of margins) {
    const dates = { from: minute.subtract(margin), to: minute.add(margin) };
    const list = await readList(deps, dates, { maxPages, isEnough: ({ rows }) => rows.some(isWanted) });
    const row = list.rows.find(isWanted);
    if (row !== undefined) return row;
    if (list.kind === 'whole') continue;
    const text = `the list around ${minute.toString({ smallestUnit: 'minute' })} could not be read to its end`;
    throw new TransientError(text, { scope: 'record' });
  }
  return undefined;
}

/** Why orders are out of reach, and the days that they hold up. */
export type Unidentified = { readonly reason: string; readonly days: readonly string[] };

/** Orders of one window that are looked for where they were before: each takes a list request or two. */
const MAX_ASKED = 20;
const MAX_NEARBY_PAGES = 3;
const NEARBY = [{ minutes: 1 }];

type AskRun = ListRun & { readonly ports: { readonly signal: AbortSignal } };

/** What elements that no id tells apart hold up. Those without a readable date belong to no day that they say. */
export function describeMalformed(
  elements: OrdersPage['malformed'],
  shop: ShopZone,
): readonly Unidentified[] {
  const told = elements.map((value) => {
    const orderId = elementId(value);
    const created = isJsonObject(value) ? createdMinute(value, shop) : undefined;
    const reason = orderId === undefined && created === undefined ? UNPLACED : toReason(orderId);
    return { reason, day: created?.toPlainDate().toString() };
  });
  const found = told.filter(({ reason, day }) => reason === UNPLACED || day !== undefined);
  return [...Map.groupBy(found, ({ reason }) => reason)].map(([reason, same]) => ({
    reason,
    days: [...new Set(same.flatMap(({ day }) => day ?? []))],
  }));
}

function toReason(orderId: string | undefined): string {
  return orderId === undefined
    ? 'the shop lists an order whose order_id is no 64-bit integer, so it cannot be stored'
    : `the shop lists two different orders under the order_id ${orderId}, so they cannot be told apart`;
}

/**
 * An order that is listed at another minute than before has moved, or is another one. It is another one if the list still
 * shows the old one after that, and then the new one again.
 *
 * @param stored where orders were listed before
 * @param listed the same, not stored yet
 * @returns by id
 */
export async function findTwins(
  run: AskRun,
  rows: readonly ListRow[],
  stored: Iterable<Pick<HeldOrder, 'createdMinute' | 'isMarked' | 'orderId'>>,
  listed: readonly ListRow[] = [],
): Promise<ReadonlyMap<string, Unidentified>> {
  const twins = new Map<string, Unidentified>();
  const places = new Map<string, string>();
  for (const { orderId, createdMinute: at, isMarked } of stored)
    if (at !== undefined && !isMarked) places.set(orderId, at);
  for (const { orderId, raw } of listed) {
    const at = createdMinute(raw, run.ports.shop);
    if (at !== undefined) places.set(orderId, at.toString());
  }
  const apart = rows.flatMap(({ orderId, raw }) => {
    const [before, now] = [places.get(orderId), createdMinute(raw, run.ports.shop)];
    const old = before === undefined ? undefined : Temporal.PlainDateTime.from(before);
    return old === undefined || now === undefined || old.equals(now) ? [] : [{ orderId, old, now }];
  });
  for (const { orderId, old, now } of apart.slice(0, MAX_ASKED)) {
    if (!(await isListedAt(run, orderId, old)) || !(await isListedAt(run, orderId, now))) continue;
    const days = [...new Set([old, now].map((minute) => minute.toPlainDate().toString()))];
    twins.set(orderId, { reason: toReason(orderId), days });
  }
  return twins;
}

async function isListedAt(run: AskRun, orderId: string, minute: Temporal.PlainDateTime): Promise<boolean> {
  const { shop, signal } = run.ports;
  const row = await attempt(findListed(run, orderId, minute, NEARBY, MAX_NEARBY_PAGES), signal);
  return row !== undefined && createdMinute(row.raw, shop)?.equals(minute) === true;
}
