import { DriftError } from '../errors.ts';
import { createdMinute } from '../normalize/order.ts';
import type { DueRun } from '../plan/due-days.ts';
import { afterOverflow, afterWhole, nextWindow, planRun, type Window } from '../plan/window-plan.ts';
import type { ListRow } from '../shop-api/orders.ts';
import { pageCapacity } from '../shop-api/page-profile.ts';
import { readSpan } from '../shop-api/walk.ts';
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
  let plan = planRun(run.days, run.range.from, run.range.to);
  while (mayAsk()) {
    deps.signal.throwIfAborted();
    const window = nextWindow(plan, pageCapacity(deps.book.profile));
    if (window === undefined) return;
    try {
      const reading = await readSpan(walk, window);
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
