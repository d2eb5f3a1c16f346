/** Reads windows of a shop that fails at a part of its list, or at requests that are too large for it. */
import { TransientError } from '../../errors.ts';
import { minTime, isBefore, isInWindow, maxTime, type Window, windowText } from '../../window.ts';
import { askPage } from './ask-page.ts';
import type { Dates } from './dates.ts';
import type { Asked } from './asked-dates.ts';
import { findBounds, type Faults, type FaultSpan, learnSpan, NO_FAULTS, spansAround } from './faults.ts';
import { isOfLength, isolateFault, measureDates } from './isolate-fault.ts';
import { type Answered, isFailure, PageFault, unlessFault } from './page-fault.ts';
import { withLimit } from './page-profile.ts';
import type { ListRow, OrdersQuery } from '../endpoints/list-orders.ts';
import type { WalkDeps } from './paging-deps.ts';
import { readWindow } from './walk.ts';
import type { WindowReading } from './window-reading.ts';

const DAY_MINUTES = 24 * 60;
/** Limits that are tried where a shop fails at the configured one. */
const LOWER_LIMITS = [100, 20];
/** Faults that one window, and one run, may meet: each takes some twenty requests to find. */
const MAX_ATTEMPTS = 6;
const MAX_SPANS = 20;
/** How far below a fault the next order is looked for. */
const HOURS_BELOW = [1, 24, 8 * 24, 64 * 24, 512 * 24];

/**
 * Reads a window as `readWindow` does. Where the shop fails at one of its requests but answers others, a smaller limit is
 * tried, then smaller windows, and then the minute is found at which it fails: that is left out, and what lies beyond it
 * is read.
 *
 * @throws TransientError where the shop as a whole is down, or answers no request for the orders of any day
 */
export async function readAroundFaults(deps: WalkDeps, asked: Asked): Promise<WindowReading> {
  const { book } = deps;
  let last: PageFault | undefined;
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const bounds = book.faults && findBounds(book.faults, asked.window);
    if (bounds?.from && !isBefore(bounds.from, asked.window.to)) return passBy(deps, asked, []);
    try {
      const reading = await readWindow(deps, { ...asked, bounds });
      if (reading.kind === 'cut' && reading.duplicates !== undefined)
        throw duplicateFault(deps, reading.duplicates);
      const isBounded = reading.kind === 'unproven' && reading.isBounded === true;
      return isBounded ? await passBy(deps, asked, reading.rows ?? []) : reading;
    } catch (error) {
      if (!(error instanceof PageFault)) throw error;
      last = error;
      const reading = await learn(deps, asked, error);
      if (reading !== 'learned') return reading;
    }
  }
  return last === undefined ? passBy(deps, asked, []) : smaller(deps, asked, last);
}

/** An order that is always listed twice is a fault of its minute. */
function duplicateFault({ book }: WalkDeps, dates: Dates): PageFault {
  const error = new TransientError('an order came twice');
  return new PageFault(error, { dates, end: book.profile.limit, answered: undefined });
}

/** Learns why the shop fails; or what to do about the window where that is not known. */
async function learn(deps: WalkDeps, asked: Asked, fault: PageFault): Promise<WindowReading | 'learned'> {
  const { book } = deps;
  const { limit } = book.profile;
  if (fault.answered !== undefined && book.faults?.soundLimit !== limit) {
    const served = await servedLimit(deps, asked, fault.answered);
    if (served === undefined) throw fault;
    note(deps, { soundLimit: served });
    if (served === limit) return learn(deps, asked, fault);
    book.profile = withLimit(book.profile, served);
    return 'learned';
  }
  await learnLength(deps, fault);
  const { isOfSize, spans } = book.faults ?? NO_FAULTS;
  const isFound = isOfSize || spans.length >= MAX_SPANS;
  if (isFound || asked.minutes > DAY_MINUTES) return smaller(deps, asked, fault);
  const span = await isolateFault(deps, fault);
  const lower = lowerLimits(limit)[0];
  if (span !== undefined) book.faults = learnSpan(book.faults ?? NO_FAULTS, span);
  else if (fault.answered === undefined) return smaller(deps, asked, fault);
  else if (lower !== undefined) book.profile = withLimit(book.profile, lower);
  else {
    note(deps, { isOfSize: true });
    return smaller(deps, asked, fault);
  }
  return 'learned';
}

/** Learns whether the shop fails at the length of the dates alone, unless it was seen to serve that much. */
async function learnLength(deps: WalkDeps, fault: PageFault): Promise<void> {
  const { isOfLength: isKnown, servedMinutes } = deps.book.faults ?? NO_FAULTS;
  const minutes = measureDates(fault, deps.now());
  if (fault.answered === undefined || isKnown || minutes <= servedMinutes) return;
  if (await isOfLength(deps, minutes)) note(deps, { isOfSize: true, isOfLength: true });
  else note(deps, { servedMinutes: minutes });
}

function note({ book }: WalkDeps, lesson: Partial<Faults>): void {
  book.faults = { ...(book.faults ?? NO_FAULTS), ...lesson };
}

function smaller(deps: WalkDeps, { window, minutes }: Asked, fault: PageFault): WindowReading {
  const own = rowsIn(deps, window, fault.rows ?? []);
  // For smaller windows, too, the response would have to reach as far as it did not.
  const isLength = deps.book.faults?.isOfLength === true && fault.rows !== undefined;
  const isInVain = isLength && (minutes <= DAY_MINUTES || own.length === 0);
  if (minutes > 1 && !isInVain) {
    return { kind: 'cut', sample: [], total: undefined, isFault: fault.answered !== undefined };
  }
  const reason = toReason(windowText(window), fault.answered && fault.message);
  return { kind: 'unproven', reason, rows: own };
}

function rowsIn({ readCreated }: WalkDeps, window: Window, rows: readonly ListRow[]): readonly ListRow[] {
  return rows.filter((row) => {
    const created = readCreated(row);
    return created !== undefined && isInWindow(window, created);
  });
}

/** @param failure how the shop fails; undefined where it lists an order twice */
function toReason(what: string, failure: string | undefined): string {
  if (failure === undefined) return `the shop keeps listing an order of ${what} twice`;
  return `the shop fails whenever it is asked for the orders of ${what} (${failure})`;
}

/** Limits that may work where one does not, the largest first. */
export function lowerLimits(limit: number): readonly number[] {
  return LOWER_LIMITS.filter((lower) => lower < limit);
}

/** The largest limit at which the shop serves a minute that is known to hold an order, or the request that it answered. */
async function servedLimit(
  deps: WalkDeps,
  asked: Asked,
  { query, page }: Answered,
): Promise<number | undefined> {
  const { api, book, signal } = deps;
  const [row] = page.rows;
  const shown = row && deps.readCreated(row);
  const older = await deps.known.before(shown ? minTime(shown, asked.window.from) : asked.window.from, 1);
  const around = [shown, older].flatMap((minute) => (minute === undefined ? [] : [minuteAround(minute)]));
  const { limit } = book.profile;
  for (const dates of around.length === 0 ? [query] : around) {
    for (const tried of [limit, ...lowerLimits(limit)]) {
      try {
        await api.listOrders({ ...dates, start: 0, limit: tried }, signal, { maxAttempts: 2 });
        return tried;
      } catch (error) {
        if (!isFailure(error) || signal?.aborted === true) throw error;
      }
    }
  }
  return undefined;
}

function minuteAround(minute: Temporal.PlainDateTime): Pick<OrdersQuery, 'dateFrom' | 'dateTo'> {
  return { dateFrom: minute.subtract({ minutes: 1 }), dateTo: minute.add({ minutes: 1 }) };
}

/** Leaves out what cannot be read because of a fault: down to the next order below it that the shop shows. */
async function passBy(deps: WalkDeps, asked: Asked, came: readonly ListRow[]): Promise<WindowReading> {
  const { window, lowest } = asked;
  const { below, above } = spansAround(deps.book.faults ?? NO_FAULTS, window);
  const span = below ?? above;
  if (span === undefined) return { kind: 'unproven', reason: 'no part of the window could be read' };
  const end = minTime(span.from, window.to);
  const next = await newestBelow(deps, span, end);
  const midnight = end.subtract({ minutes: 1 }).toPlainDate().toPlainDateTime();
  const from = maxTime(next?.minute ?? midnight, lowest);
  const gap = { from, to: window.to };
  const rows = rowsIn(deps, gap, [...came, ...span.rows, ...(next?.rows ?? [])]);
  const minutes = { from: span.from, to: span.to.subtract({ minutes: 1 }) };
  const text = minutes.from.equals(minutes.to)
    ? span.from.toString({ smallestUnit: 'minute' })
    : windowText(span);
  return { kind: 'unproven', reason: toReason(text, span.reason), window: gap, rows };
}

/** The newest order before a time that the shop shows without a request that reaches into the span. */
async function newestBelow(
  deps: WalkDeps,
  span: FaultSpan,
  end: Temporal.PlainDateTime,
): Promise<{ readonly minute: Temporal.PlainDateTime; readonly rows: readonly ListRow[] } | undefined> {
  const to = span.from.subtract({ seconds: 1 });
  for (const hours of HOURS_BELOW) {
    const dates: Dates = { from: end.subtract({ hours }), to };
    const page = await unlessFault(askPage(deps, dates, 0));
    if (page === 'fault') return undefined;
    const older = (page === 'unfiltered' ? [] : page.rows).flatMap((row) => {
      const created = deps.readCreated(row);
      return created !== undefined && isBefore(created, end) ? [{ row, created }] : [];
    });
    const [first] = older;
    if (first === undefined) continue;
    const minute = older.reduce((newest, { created }) => maxTime(newest, created), first.created);
    return { minute, rows: older.flatMap(({ row, created }) => (created.equals(minute) ? [row] : [])) };
  }
  return undefined;
}
