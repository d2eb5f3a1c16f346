import { DriftError } from '../errors.ts';
import { createdMinute } from '../normalize/order.ts';
import { daysOf } from '../plan/day-coverage.ts';
import type { DueRun } from '../plan/due-days.ts';
import { afterOverflow, afterWhole, nextWindow, planRun, type Window } from '../plan/window-plan.ts';
import type { ListRow } from '../shop-api/orders.ts';
import { learnPage, pageCapacity } from '../shop-api/page-profile.ts';
import { readSpan, type SpanReading, type WalkDeps } from '../shop-api/walk.ts';
import type { JsonValue } from '../json.ts';
import type { SweepDeps } from './deps.ts';

/** A window that was read whole, or one that could not be. */
export type WindowReading =
  | {
      readonly kind: 'whole';
      readonly window: Window;
      readonly rows: readonly ListRow[];
      readonly malformed: readonly JsonValue[];
      readonly askedAt: Temporal.Instant;
    }
  | { readonly kind: 'drifted'; readonly window: Window; readonly reason: string };

/**
 * Reads a run of due days, newest first, in windows that each fit a page.
 *
 * @param mayAsk whether the time budget allows another window
 * @throws TerminalError, TransientError when the shop cannot be read at all
 */
export async function* readWindows(
  deps: Pick<SweepDeps, 'api' | 'book' | 'now' | 'signal'>,
  run: DueRun,
  mayAsk: () => boolean,
): AsyncGenerator<WindowReading> {
  const walk = { ...deps, createdOf: (row: ListRow) => createdMinute(row.raw) };
  const knownEmpty = new Set(
    run.days.flatMap(({ day, expected }) => (expected === 0 ? [day.toString()] : [])),
  );
  let plan = planRun(run.days, run.range.from, run.range.to);
  while (mayAsk()) {
    deps.signal.throwIfAborted();
    const window = nextWindow(plan, pageCapacity(deps.book.profile));
    if (window === undefined) return;
    try {
      const isKnownEmpty = daysOf(window).every((day) => knownEmpty.has(day.toString()));
      const reading = await readSure(walk, window, isKnownEmpty);
      if (reading.kind === 'overflow') {
        plan = afterOverflow(plan, window, reading.sample, reading.matching);
        continue;
      }
      plan = afterWhole(plan, window, reading.rows.length);
      yield { ...reading, window };
    } catch (error) {
      if (!(error instanceof DriftError)) throw error;
      plan = afterWhole(plan, window, 0);
      yield { kind: 'drifted', window, reason: error.message };
    }
  }
}

/**
 * A window of which nothing came but what is no order: believed where the shop lists orders elsewhere.
 *
 * @throws DriftError where every element is like that, which speaks of something else than orders
 */
async function believed(walk: WalkDeps, window: Window, reading: SpanReading): Promise<SpanReading> {
  const page = await walk.api.listOrders({ limit: walk.book.profile.limit }, walk.signal);
  walk.book.profile = learnPage(walk.book.profile, page.received);
  if (page.rows.length > 0) return reading;
  throw new DriftError(
    `no element that the shop lists has a usable order_id; its answer for ${window.from.toString()} to ` +
      `${window.to.toString()} is not believed, and the days stay due`,
  );
}

/**
 * Reads a window, and an empty one again, once the shop has shown that it lists orders at all: an answer without
 * orders is what many faults look like.
 *
 * @param isKnownEmpty the window was empty when it was last verified, so that nothing is lost by believing it
 * @throws DriftError where the shop lists none, though it is known to hold orders
 */
async function readSure(walk: WalkDeps, window: Window, isKnownEmpty: boolean): Promise<SpanReading> {
  const reading = await readSpan(walk, window);
  if (reading.kind === 'overflow' || reading.rows.length > 0) return reading;
  if (reading.malformed.length > 0) return believed(walk, window, reading);
  // None of those faults counts the matches as well.
  if (isKnownEmpty || reading.isCounted) return reading;
  const canary = await walk.api.listOrders({ limit: 1 }, walk.signal);
  const isKnownToHoldOrders = walk.book.profile.longestPage > 0;
  walk.book.profile = learnPage(walk.book.profile, canary.received);
  if (canary.received > 0) return readSpan(walk, window);
  // A new shop holds none.
  if (!isKnownToHoldOrders) return reading;
  throw new DriftError(
    `the shop lists no orders at all, though it is known to hold some; its answer for ${window.from.toString()} to ` +
      `${window.to.toString()} is not believed, and the days stay due`,
  );
}
