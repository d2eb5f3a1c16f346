import type { ShopZone } from '../../normalize/local-time.ts';
import { createdMinute } from '../../normalize/order.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import { type PageProfile, pageCapacity } from '../../shop-api/paging/page-profile.ts';
import { readWindow } from '../../shop-api/paging/walk.ts';
import { byTime, EVER } from '../../window.ts';
import { findFirstDay } from './first-day.ts';
import { NO_STORED_ORDERS } from '../sweep/orders/known-orders.ts';
import { attempt } from '../run/record-faults.ts';

/** How a shop's API behaves, as far as a few requests show. */
export type ApiFindings = {
  readonly profile: PageProfile;
  /** First day with orders. */
  readonly historyFrom: Temporal.PlainDate;
  /** The shop's own count; `profile.totalMeaning` says what it counts. */
  readonly total: number | undefined;
  readonly listOrder: 'newest first' | 'oldest first' | 'neither' | 'unknown';
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
  const first = await api.listOrders({ limit: known.limit }, signal);
  const book = { profile: seeFullPage(known, first.received) };
  const newest = first.rows
    .flatMap((row) => readCreated(row) ?? [])
    .toSorted(byTime)
    .at(-1);
  // Reading one day shows how pages end, and gives a proven count to compare `total` with.
  if (newest) {
    const window = { from: newest.toPlainDate().toPlainDateTime(), to: EVER.to };
    const walk = {
      api,
      book,
      readCreated,
      signal,
      known: NO_STORED_ORDERS,
      now: () => Temporal.Now.instant(),
    };
    await readWindow(walk, { window, lowest: EVER.from, minutes: 1440, padMinutes: 1440 });
  }
  const historyFrom = await findFirstDay(api, today, signal);
  const groups = await attempt(api.groups({ limit: 100 }, signal), signal);
  return {
    profile: book.profile,
    historyFrom,
    total: first.total,
    listOrder: listOrder(first.rows.flatMap((row) => readCreated(row) ?? [])),
    groups: groups?.length ?? null,
  };
}

/** A page with as many rows as were asked for is a full one. */
function seeFullPage(profile: PageProfile, rows: number): PageProfile {
  return profile.pageRows === 0 && rows === profile.limit ? { ...profile, pageRows: rows } : profile;
}

function listOrder(times: readonly Temporal.PlainDateTime[]): ApiFindings['listOrder'] {
  const steps = times.slice(1).flatMap((time, index) => {
    const before = times[index];
    return before === undefined ? [] : [Temporal.PlainDateTime.compare(before, time)];
  });
  if (steps.every((step) => step === 0)) return 'unknown';
  if (steps.every((step) => step >= 0)) return 'newest first';
  return steps.every((step) => step <= 0) ? 'oldest first' : 'neither';
}

/** The findings for people, one line each. */
export function describeFindings({
  profile,
  historyFrom,
  total,
  listOrder,
  groups,
}: ApiFindings): readonly string[] {
  const totals = {
    matches: 'counts matching orders',
    other: 'does not count matching orders',
    unknown: 'meaning not yet known',
  };
  return [
    `First order: ${historyFrom.toString()}`,
    `Total: ${total ?? 'not given'}, ${totals[profile.totalMeaning]}`,
    `Page: ${pageText(profile)}`,
    `List: ${listOrder}`,
    `Top-level groups: ${groups ?? 'could not be read'}`,
  ];
}

function pageText(profile: PageProfile): string {
  const { limit, pageRows, isUneven } = profile;
  if (isUneven) return `varying length for limit ${limit}`;
  return pageRows === 0
    ? `limit ${limit}; no full page was seen`
    : `${pageCapacity(profile)} rows for limit ${limit}`;
}
