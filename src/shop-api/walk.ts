import { DriftError, TerminalError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { ShopApi } from './client.ts';
import type { ListRow, OrdersPage } from './orders.ts';
import {
  isFinalPage,
  isFullPage,
  learnCap,
  learnIgnoredStart,
  learnPage,
  learnTotal,
  type PageProfile,
} from './page-profile.ts';

/** A half-open span of shop-local time; both ends on a minute. */
export type Span = { readonly from: Temporal.PlainDateTime; readonly to: Temporal.PlainDateTime };

export type WalkDeps = {
  readonly api: Pick<ShopApi, 'listOrders'>;
  /** The profile as learned so far; replaced at every lesson. */
  readonly book: { profile: PageProfile };
  /** The minute at which an order was created, shop-local; undefined where the row does not tell. */
  readonly createdOf: (row: ListRow) => Temporal.PlainDateTime | undefined;
  readonly now: () => Temporal.Instant;
  readonly signal?: AbortSignal | undefined;
};

export type SpanReading =
  /** All of the span, each order once. Rows of a neighbouring span are left out. */
  | {
      readonly kind: 'whole';
      readonly rows: readonly ListRow[];
      readonly malformed: readonly JsonValue[];
      /** The instant before the first request: what the reading speaks of. */
      readonly askedAt: Temporal.Instant;
    }
  /** More than a page: read smaller spans. */
  | {
      readonly kind: 'overflow';
      readonly sample: readonly Temporal.PlainDateTime[];
      /** Rows in the span, where the server is known to count matches. */
      readonly matching: number | undefined;
    };

const MAX_TRIES = 5;

/**
 * Reads a span with the proof that it was read whole: by one final page, in which nothing can shift, or, for a single
 * minute, by pages that overlap in one row.
 *
 * @throws DriftError when rows kept shifting; TerminalError when the server does not filter by date
 */
export async function readSpan(deps: WalkDeps, span: Span): Promise<SpanReading> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const askedAt = deps.now();
    const first = await ask(deps, span, 0);
    const before = deps.book.profile;
    assertFiltered(deps, span, first);
    deps.book.profile = learnPage(before, first.received);
    if (isFinalPage(before, first.received, first.total)) return whole(deps, span, [first], askedAt);
    const isMinute = Temporal.PlainDateTime.compare(span.from.add({ minutes: 1 }), span.to) >= 0;
    if (!isMinute && isFullPage(deps.book.profile, first.received)) return overflow(deps, first);
    const pages = await readOverlapping(deps, span, first, isMinute);
    if (pages === 'shifted') continue;
    return pages === 'more' ? overflow(deps, first) : whole(deps, span, pages, askedAt);
  }
  throw new DriftError(
    `the orders from ${span.from.toString()} to ${span.to.toString()} shifted during each of ${MAX_TRIES} walks`,
  );
}

/**
 * Goes on from the first page, each page asked from the last row already read, and proves by that row that nothing
 * shifted. A longer span is given up as 'more' at the first page that holds any, since smaller spans prove better.
 */
async function readOverlapping(
  deps: WalkDeps,
  span: Span,
  first: OrdersPage,
  toTheEnd: boolean,
): Promise<readonly OrdersPage[] | 'more' | 'shifted'> {
  const pages = [first];
  for (let read = first.received; ;) {
    const last = pages.at(-1)?.rows.at(-1);
    const next = await ask(deps, span, read - 1);
    const head = next.rows[0];
    if (head === undefined || last === undefined) return 'shifted';
    if (head.orderId !== last.orderId) {
      if (head.orderId !== first.rows[0]?.orderId || first.received === 1) return 'shifted';
      deps.book.profile = learnIgnoredStart(deps.book.profile);
      if (!toTheEnd) return 'more';
      throw new DriftError(
        `the shop ignores "start", and the minute ${span.from.toString()} holds more orders than one page`,
      );
    }
    if (next.received === 1) return pages;
    deps.book.profile = learnCap(learnPage(deps.book.profile, next.received), first.received);
    if (!toTheEnd) return 'more';
    pages.push(next);
    if (isFinalPage(deps.book.profile, next.received, undefined)) return pages;
    read += next.received - 1;
  }
}

async function ask({ api, book, signal }: WalkDeps, span: Span, start: number): Promise<OrdersPage> {
  return api.listOrders({ start, limit: book.profile.limit, dateFrom: span.from, dateTo: span.to }, signal);
}

function whole(
  deps: WalkDeps,
  span: Span,
  pages: readonly OrdersPage[],
  askedAt: Temporal.Instant,
): SpanReading {
  const overlaps = pages.length - 1;
  const received = pages.reduce((sum, page) => sum + page.received, -overlaps);
  deps.book.profile = learnTotal(deps.book.profile, received, pages[0]?.total);
  const own = pages.flatMap((page) => page.rows).filter((row) => placeOf(deps, span, row) === 'inside');
  const byId = new Map(own.map((row) => [row.orderId, row]));
  return {
    kind: 'whole',
    rows: [...byId.values()],
    malformed: pages.flatMap((page) => page.malformed),
    askedAt,
  };
}

function overflow(deps: WalkDeps, first: OrdersPage): SpanReading {
  const matching = deps.book.profile.totalMeaning === 'matches' ? first.total : undefined;
  return { kind: 'overflow', sample: first.rows.flatMap((row) => deps.createdOf(row) ?? []), matching };
}

/** Whether `date_to` is inclusive is not documented, so rows of the boundary minute may come; they are of the next span. */
function placeOf(deps: WalkDeps, span: Span, row: ListRow): 'inside' | 'boundary' | 'outside' {
  const created = deps.createdOf(row);
  // A row without a readable date has no other span to be left to.
  if (created === undefined) return 'inside';
  const minute = created.round({ smallestUnit: 'minute', roundingMode: 'floor' });
  if (minute.equals(span.to)) return 'boundary';
  const isAfterStart = Temporal.PlainDateTime.compare(minute, span.from) >= 0;
  return isAfterStart && Temporal.PlainDateTime.compare(minute, span.to) < 0 ? 'inside' : 'outside';
}

function assertFiltered(deps: WalkDeps, span: Span, page: OrdersPage): void {
  const outside = page.rows.filter((row) => placeOf(deps, span, row) === 'outside').length;
  if (outside * 2 <= page.rows.length) return;
  throw new TerminalError(
    `the shop was asked for orders from ${span.from.toString()} to ${span.to.toString()}, and ${outside} of ` +
      `${page.rows.length} lie outside: it ignores date_from and date_to, or filters by another date. ` +
      'Its orders cannot be synced by day; ask the platform which date the filter uses.',
  );
}
