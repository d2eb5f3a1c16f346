/** Reads windows of a shop that fails at a part of its list, or at requests that are too large for it. */
import { watchAge } from './age-watch.ts';
import { minTime, isBefore, maxTime, windowText } from '../../model/window.ts';
import type { OrdersQuery } from '../endpoints/list-orders.ts';
import { lowerLimits } from '../endpoints/order-list.ts';
import { askPage } from './ask-page.ts';
import { type Answered, isFailure, PageFault, unlessFault, type WalkDeps } from './request-page.ts';
import type { Asked, Dates } from './asked-dates.ts';
import { findBounds, type Faults, type FaultSpan, learnSpan, NO_FAULTS, spansAround } from './faults.ts';
import { isOfLength, isolateFault, measureDates } from './isolate-fault.ts';
import { placeRows } from './list-ends.ts';
import { withLimit } from './page-profile.ts';
import { type Faulty, readWindow } from './walk.ts';
import { rowsWithin, type WindowReading } from './window-reading.ts';

const DAY_MINUTES = 24 * 60;
/** Faults that one window, and one run, may meet: each takes some twenty requests to find. */
const MAX_ATTEMPTS = 6;
const MAX_SPANS = 20;
/** How far below a fault the next order is looked for. */
const HOURS_BELOW = [1, 24, 8 * 24, 64 * 24, 512 * 24];

/**
 * Reads a window as `readWindow` does. Where the shop fails at one of its requests but answers others, a smaller limit is
 * tried, then smaller windows, and then the minute is found at which it fails: that is left out, and what lies beyond it
 * is read. A window of which any answer is old is not proven.
 *
 * @throws TransientError where the shop as a whole is down, or answers no request for the orders of any day
 */
export async function readAroundFaults(deps: WalkDeps, asked: Asked): Promise<WindowReading> {
  const api = watchAge(deps.api);
  const reading = await readParts({ ...deps, api }, asked);
  const { outdated: reason } = api;
  // Smaller windows are judged by themselves.
  if (reason === undefined || reading.kind === 'cut') return reading;
  const isGap = reading.kind === 'unproven' && reading.isGap === true;
  const window = isGap ? reading.window : asked.window;
  return { kind: 'unproven', window, reason, isGap };
}

async function readParts(deps: WalkDeps, asked: Asked): Promise<WindowReading> {
  for (let attempts = 1; ; attempts++) {
    const bounds = deps.book.faults && findBounds(deps.book.faults, asked.window);
    if (bounds?.from && !isBefore(bounds.from, asked.window.to)) return passBy(deps, asked);
    const reading = await readWindow(deps, { ...asked, bounds });
    if (reading.kind === 'bounded') return passBy(deps, asked);
    if (reading.kind !== 'faulty') return reading;
    const isLearned = await learnFault(deps, asked, reading.fault);
    if (!isLearned || attempts === MAX_ATTEMPTS) return smaller(deps, asked, reading);
  }
}

/** Learns why the shop fails. @returns whether the window may be read again at once, and not in smaller parts */
async function learnFault(deps: WalkDeps, asked: Asked, fault: PageFault): Promise<boolean> {
  const { book } = deps;
  const { limit } = book.profile;
  if (fault.answered !== undefined && book.faults?.soundLimit !== limit) {
    const served = await servedLimit(deps, asked, fault.answered);
    if (served === undefined) throw fault;
    note(deps, { soundLimit: served });
    book.profile = withLimit(book.profile, served);
    if (served !== limit) return true;
  }
  await learnLength(deps, fault);
  const { isOfSize, spans } = book.faults ?? NO_FAULTS;
  if (isOfSize || spans.length >= MAX_SPANS || asked.minutes > DAY_MINUTES) return false;
  const span = await isolateFault(deps, fault);
  const [lower] = lowerLimits(limit);
  if (span !== undefined) book.faults = learnSpan(book.faults ?? NO_FAULTS, span);
  else if (fault.answered === undefined) return false;
  else if (lower !== undefined) book.profile = withLimit(book.profile, lower);
  else note(deps, { isOfSize: true });
  return span !== undefined || lower !== undefined;
}

/** Learns whether the shop fails at the length of the dates alone, unless it was seen to serve that much. */
async function learnLength(deps: WalkDeps, fault: PageFault): Promise<void> {
  const { isOfLength: isKnown, servedMinutes } = deps.book.faults ?? NO_FAULTS;
  const minutes = measureDates(fault.query, deps.now());
  if (fault.answered === undefined || isKnown || minutes <= servedMinutes) return;
  if (await isOfLength(deps, minutes)) note(deps, { isOfSize: true, isOfLength: true });
  else note(deps, { servedMinutes: minutes });
}

function note({ book }: WalkDeps, lesson: Partial<Faults>): void {
  book.faults = { ...(book.faults ?? NO_FAULTS), ...lesson };
}

function smaller(deps: WalkDeps, { window, minutes }: Asked, { fault, rows }: Faulty): WindowReading {
  const own = rowsWithin(deps, window, rows ?? []);
  // For smaller windows, too, the response would have to reach as far as it did not.
  const isLength = deps.book.faults?.isOfLength === true && rows !== undefined;
  const isInVain = isLength && (minutes <= DAY_MINUTES || own.length === 0);
  const reason = toReason(windowText(window), fault.answered && fault.message);
  if (minutes > 1 && !isInVain) {
    return { kind: 'cut', sample: [], total: undefined, isFault: fault.answered !== undefined, why: reason };
  }
  return { kind: 'unproven', window, reason };
}

/** @param failure how the shop fails; undefined where it lists an order twice */
function toReason(what: string, failure: string | undefined): string {
  if (failure === undefined) return `the shop keeps listing an order of ${what} twice`;
  return `the shop fails whenever it is asked for the orders of ${what} (${failure})`;
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
async function passBy(deps: WalkDeps, asked: Asked): Promise<WindowReading> {
  const { window, lowest } = asked;
  const { below, above } = spansAround(deps.book.faults ?? NO_FAULTS, window);
  const span = below ?? above;
  if (span === undefined) return { kind: 'unproven', window, reason: 'no part of it could be read' };
  const end = minTime(span.from, window.to);
  const next = await newestBelow(deps, span, end);
  const midnight = end.subtract({ minutes: 1 }).toPlainDate().toPlainDateTime();
  const gap = { from: maxTime(next ?? midnight, lowest), to: window.to };
  const minutes = { from: span.from, to: span.to.subtract({ minutes: 1 }) };
  const text = minutes.from.equals(minutes.to)
    ? span.from.toString({ smallestUnit: 'minute' })
    : windowText(span);
  return { kind: 'unproven', window: gap, reason: toReason(text, span.reason), isGap: true };
}

/** The newest order before a time that the shop shows without a request that reaches into the span. */
async function newestBelow(
  deps: WalkDeps,
  span: FaultSpan,
  end: Temporal.PlainDateTime,
): Promise<Temporal.PlainDateTime | undefined> {
  const to = span.from.subtract({ seconds: 1 });
  for (const hours of HOURS_BELOW) {
    const dates: Dates = { from: end.subtract({ hours }), to };
    const page = await unlessFault(askPage(deps, dates, 0));
    if (page instanceof PageFault) return undefined;
    const older = placeRows(deps, page.rows).flatMap(({ time }) => (isBefore(time, end) ? [time] : []));
    const [first] = older;
    if (first !== undefined) return older.reduce(maxTime, first);
  }
  return undefined;
}
