import { DriftError, TerminalError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { ShopApi } from './client.ts';
import type { ListRow, OrdersPage } from './orders.ts';
import {
  forgetTotal,
  isFinalPage,
  isFullPage,
  learnCap,
  learnHonouredStart,
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
  /** All of the span, each order once. Rows of the minute that begins the next span are left out. */
  | {
      readonly kind: 'whole';
      readonly rows: readonly ListRow[];
      readonly malformed: readonly JsonValue[];
      /** The server counts matches, and counted as many rows as came. */
      readonly isCounted: boolean;
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
/** More rows than this far outside what was asked for are no oddities. */
const MAX_FAR_SHARE = 0.05;

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
    // Rows are counted, but none came.
    if (first.received === 0) continue;
    const isMinute = Temporal.PlainDateTime.compare(span.from.add({ minutes: 1 }), span.to) >= 0;
    if (!isMinute && isFullPage(deps.book.profile, first.received)) return overflow(deps, first);
    const pages = await readOverlapping(deps, span, first, isMinute);
    if (pages === 'shifted') continue;
    return pages === 'more' ? overflow(deps, first) : whole(deps, span, pages, askedAt);
  }
  // The contradiction may lie in what was learned of the total.
  deps.book.profile = forgetTotal(deps.book.profile);
  throw new DriftError(
    `the orders from ${span.from.toString()} to ${span.to.toString()} shifted during each of ${MAX_TRIES} walks`,
  );
}

/**
 * Goes on from the first page, each page asked from the last row already read. That nothing shifted shows by the pages
 * having exactly one row in common; which one is left open, since a page keyed by id does not keep its order. A longer
 * span is given up as 'more' at the first page that holds any, since smaller spans prove better.
 */
async function readOverlapping(
  deps: WalkDeps,
  span: Span,
  first: OrdersPage,
  toTheEnd: boolean,
): Promise<readonly OrdersPage[] | 'more' | 'shifted'> {
  const pages = [first];
  const known = new Set(keysOf(first));
  for (let read = first.received; ;) {
    const next = await ask(deps, span, read - 1);
    const keys = keysOf(next);
    const shared = keys.filter((key) => known.has(key)).length;
    if (shared !== 1) {
      const isFirstAgain = pages.length === 1 && shared === first.received && shared === next.received;
      if (!isFirstAgain) return 'shifted';
      deps.book.profile = learnIgnoredStart(deps.book.profile);
      if (!toTheEnd) return 'more';
      throw new DriftError(
        `the shop ignores "start", and the minute ${span.from.toString()} holds more orders than one page`,
      );
    }
    // A page of one row is asked for again as it is, which proves nothing.
    if (next.received === 1) return read === 1 ? 'shifted' : pages;
    deps.book.profile = learnHonouredStart(learnPage(deps.book.profile, next.received));
    deps.book.profile = learnCap(deps.book.profile, first.received);
    if (!toTheEnd) return 'more';
    pages.push(next);
    if (isFinalPage(deps.book.profile, next.received, undefined)) return pages;
    for (const key of keys) known.add(key);
    read += next.received - 1;
  }
}

/** Rows by identifier; what has none, by its text. */
function keysOf({ rows, malformed }: OrdersPage): readonly string[] {
  return [...rows.map(({ orderId }) => orderId), ...malformed.map((value) => JSON.stringify(value))];
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
  const [only, ...others] = pages;
  // Of several pages each may count another state of the shop.
  if (only && others.length === 0) {
    deps.book.profile = learnTotal(deps.book.profile, only.received, only.total);
  }
  const isOwn = (row: ListRow) => placeOf(deps, span, row) !== 'boundary';
  const own = pages.flatMap((page) => page.rows).filter(isOwn);
  const malformed = pages.flatMap((page) => page.malformed);
  const isCounted = only?.total === only?.received && deps.book.profile.totalMeaning === 'matches';
  return {
    kind: 'whole',
    isCounted,
    rows: [...new Map(own.map((row) => [row.orderId, row])).values()],
    malformed: [...new Map(malformed.map((value) => [JSON.stringify(value), value])).values()],
    askedAt,
  };
}

function overflow(deps: WalkDeps, first: OrdersPage): SpanReading {
  const matching = deps.book.profile.totalMeaning === 'matches' ? first.total : undefined;
  return { kind: 'overflow', sample: first.rows.flatMap((row) => deps.createdOf(row) ?? []), matching };
}

/**
 * Where a row lies. Whether `date_to` is inclusive is not documented, so rows of the boundary minute may come; they are
 * left to the next span. Others outside are kept: a filter that counts in another zone may show them nowhere else.
 */
function placeOf(deps: WalkDeps, span: Span, row: ListRow): 'inside' | 'boundary' | 'near' | 'far' {
  const created = deps.createdOf(row);
  // A row without a readable date has no other span to be left to.
  if (created === undefined) return 'inside';
  const minute = created.round({ smallestUnit: 'minute', roundingMode: 'floor' });
  if (minute.equals(span.to)) return 'boundary';
  if (isIn(span, minute)) return 'inside';
  return isIn({ from: span.from.subtract({ days: 1 }), to: span.to.add({ days: 1 }) }, minute)
    ? 'near'
    : 'far';
}

function isIn({ from, to }: Span, time: Temporal.PlainDateTime): boolean {
  return Temporal.PlainDateTime.compare(time, from) >= 0 && Temporal.PlainDateTime.compare(time, to) < 0;
}

/** A single row far outside is an oddity of that order; several are another filter than the one that was asked for. */
function assertFiltered(deps: WalkDeps, span: Span, page: OrdersPage): void {
  const places = page.rows.map((row) => placeOf(deps, span, row));
  const far = places.filter((place) => place === 'far').length;
  const outside = places.filter((place) => place === 'near').length + far;
  const isFarOff = far > 1 && far > places.length * MAX_FAR_SHARE;
  if (!isFarOff && outside * 2 <= places.length) return;
  throw new TerminalError(
    `the shop was asked for orders from ${span.from.toString()} to ${span.to.toString()}, and ${outside} of ` +
      `${page.rows.length} lie outside: it ignores date_from and date_to, or filters by another date. ` +
      'Its orders cannot be synced by day; ask the platform which date the filter uses.',
  );
}
