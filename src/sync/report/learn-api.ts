import { currentThrottle, expectedPace } from '../run/throttle-state.ts';
import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import { estimateLoad, type LoadEstimate } from '../../plan/load/load-cost.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import { proveWindow } from '../../shop-api/paging/prove.ts';
import {
  type PageProfile,
  pageCapacity,
  type PagingBook,
  requestPage,
} from '../../shop-api/paging/request-page.ts';
import { byTime, EVER } from '../../model/window.ts';
import { newestCreated } from '../sweep/clock-warning.ts';
import { attempt } from '../ask/record-faults.ts';

/** No shop is assumed to be older. */
const EARLIEST = Temporal.PlainDate.from('2000-01-01');
/** No zone is further from UTC. */
const MOST_OFFSET_HOURS = 14;

/** How a shop's API behaves, as far as a few requests show. */
export type ApiFindings = {
  /** Of one request, on the average. */
  readonly latencyMs: number;
  readonly profile: PageProfile;
  /** First day with orders. */
  readonly historyFrom: Temporal.PlainDate;
  /** The shop's own count; `profile.totalMeaning` says what it counts. */
  readonly total: number | undefined;
  readonly listOrder: 'newest first' | 'oldest first' | 'neither' | 'unknown';
  /** How the shop says that it has no orders, where it lists none, and not by an empty list. */
  readonly emptyForm?: string | undefined;
  /** Number of top-level groups; null where they could not be read, which affects nothing else. */
  readonly groups: number | null;
};

/**
 * Learns how the order list pages, what `total` counts, whether the date filter works, and where history begins. About
 * twenty requests, all of them read-only.
 *
 * @throws TerminalError, TransientError when the shop cannot be read
 */
export async function learnApi(
  api: ShopApi,
  shop: ShopZone,
  known: PageProfile,
  today: Temporal.PlainDate,
  signal: AbortSignal,
): Promise<ApiFindings> {
  const readCreated = (row: ListRow) => createdMinute(row.raw, shop);
  const began = performance.now();
  const countRequests = () => Object.values(api.counts).reduce((sum, count) => sum + count, 0);
  const before = countRequests();
  const now = () => Temporal.Now.instant();
  const book: PagingBook = { profile: known };
  const first = await requestPage({ api, book, now, signal }, { limit: known.limit });
  book.profile = seeFullPage(book.profile, first.received);
  const newest = newestCreated(first.rows, shop);
  // Reading one day shows how pages end, and gives a proven count to compare `total` with.
  if (newest) {
    const window = { from: newest.toPlainDate().toPlainDateTime(), to: EVER.to };
    const walk = { api, book, readCreated, signal, witnesses: async () => undefined, now };
    await proveWindow(walk, { window, lowest: EVER.from, minutes: 1440 });
  }
  const historyFrom = await findFirstDay(api, today, signal);
  const groups = await attempt(api.groups({ limit: 100 }, signal), signal);
  return {
    latencyMs: (performance.now() - began) / Math.max(1, countRequests() - before),
    profile: book.profile,
    historyFrom,
    total: first.total,
    emptyForm: first.emptyForm,
    listOrder: listOrder(first.rows.flatMap((row) => readCreated(row) ?? [])),
    groups: groups?.length ?? null,
  };
}

/**
 * What it takes to load the orders that are not stored yet; undefined if the shop does not count its orders.
 *
 * @param excluded number of orders not to load: those that are stored, and those that `total` counts although no list shows them
 */
export function estimateRest(
  { total, profile, latencyMs }: ApiFindings,
  health: ShopApi['health'],
  excluded: number,
  measured?: number,
): ({ readonly orders: number } & LoadEstimate) | undefined {
  if (total === undefined) return undefined;
  const orders = Math.max(0, total - excluded);
  const requestsPerSecond = expectedPace(currentThrottle(health), measured, latencyMs);
  return { orders, ...estimateLoad({ orders, pageRows: pageCapacity(profile), requestsPerSecond }) };
}

/** A page with as many rows as were asked for is a full one. */
function seeFullPage(profile: PageProfile, rows: number): PageProfile {
  return profile.pageRows === 0 && rows === profile.limit ? { ...profile, pageRows: rows } : profile;
}

function listOrder(times: readonly Temporal.PlainDateTime[]): ApiFindings['listOrder'] {
  const steps = times.slice(1).map((time, index) => byTime(times[index] ?? time, time));
  if (steps.every((step) => step === 0)) return 'unknown';
  if (steps.every((step) => step >= 0)) return 'newest first';
  return steps.every((step) => step <= 0) ? 'oldest first' : 'neither';
}

/**
 * Finds the first day with orders by binary search since 2000: about fourteen requests of one row each. For display
 * only: a temporary empty response makes the result too late.
 *
 * @param latest the newest day to look at; returned when the shop has no orders
 */
async function findFirstDay(
  api: Pick<ShopApi, 'listOrders'>,
  latest: Temporal.PlainDate,
  signal: AbortSignal,
): Promise<Temporal.PlainDate> {
  let low = EARLIEST;
  let high = latest;
  while (Temporal.PlainDate.compare(low, high) < 0) {
    const middle = low.add({ days: Math.floor(low.until(high).total('days') / 2) });
    const dateTo = middle.toPlainDateTime('23:59:59');
    const { received } = await api.listOrders({ limit: 1, dateTo }, signal);
    if (received > 0) high = middle;
    else low = middle.add({ days: 1 });
  }
  return low;
}

/**
 * When the newest order of a shop was placed, in the shop's own time, whatever its zone. One request or two, and a
 * guess: a page may be incomplete.
 */
export async function newestListed(
  api: Pick<ShopApi, 'listOrders'>,
  limit: number,
  now: Temporal.Instant,
  signal: AbortSignal,
): Promise<Temporal.PlainDateTime | undefined> {
  const utc = now.toZonedDateTimeISO('UTC').toPlainDateTime();
  const dateTo = utc.add({ hours: MOST_OFFSET_HOURS });
  const dateFrom = utc.subtract({ days: 1, hours: MOST_OFFSET_HOURS });
  const lately = await api.listOrders({ limit, dateFrom, dateTo }, signal);
  const { rows } = lately.rows.length > 0 ? lately : await api.listOrders({ limit }, signal);
  return newestCreated(rows, { timezone: 'UTC' }, dateTo);
}
