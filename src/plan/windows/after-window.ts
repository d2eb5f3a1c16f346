/** How the plan continues after a window was read, or could not be. */
import { isBefore, isOpenAbove, minutesBetween, type Window } from '../../model/window.ts';
import { DAY_MINUTES, countMinutes, TELLING_ROWS, type WindowPlan } from './window-plan.ts';

/** The longest window of a list that moved while it was read. */
const MOVING_MINUTES = 16 * DAY_MINUTES;
/** How much longer than the one before it a window may be. */
const GROWTH = 6;

/** The window was read whole and held so many rows. */
export function afterWhole(plan: WindowPlan, window: Window, rows: number): WindowPlan {
  const minutes = countMinutes(plan, window);
  const longest = rows === 0 ? Number.POSITIVE_INFINITY : Math.max(minutes * GROWTH, DAY_MINUTES);
  return {
    ...plan,
    rest: { from: plan.rest.from, to: window.from },
    // A crowded minute says nothing about those before it.
    density: minutes > 1 ? rows / minutes : Math.min(rows, plan.density ?? rows),
    maxMinutes: Math.min(longest, plan.servedMinutes),
    // No shop fails at a part of a day for its length alone.
    servedMinutes: Math.max(plan.servedMinutes, Math.min(2 * plan.servedMinutes, DAY_MINUTES)),
  };
}

/**
 * The window did not fit: ask for less.
 *
 * @param sample created minutes of the rows received, in the order of the list
 * @param total rows in the window as the shop counts them, where it is known to count matches
 */
export function afterCut(
  plan: WindowPlan,
  window: Window,
  sample: readonly Temporal.PlainDateTime[],
  total: number | undefined,
): WindowPlan {
  const minutes = countMinutes(plan, window);
  const rows = Math.max(sample.length + 1, total ?? 0);
  const firstDay = window.from.toPlainDate().toString();
  // The ledger counted too few here.
  const expected = new Map([...plan.expected].filter(([day]) => day < firstDay));
  const isUncharted = !plan.isCharted && plan.density === undefined && minutes > DAY_MINUTES;
  const newest = isUncharted ? measureNewest(window, sample) : undefined;
  if (newest !== undefined) {
    // Where nothing is known of a history, the newest page says more than its length.
    const maxMinutes = Math.max(newest, DAY_MINUTES);
    return { ...plan, expected, density: sample.length / newest, maxMinutes };
  }
  return {
    ...plan,
    expected,
    density: rows / minutes,
    maxMinutes: Math.max(
      1,
      Math.floor(sample.length === 0 ? Math.min(minutes / 2, MOVING_MINUTES) : minutes / 2),
    ),
  };
}

/** The minutes from the end of a window down to the last row, where the list is sorted from the newest on. */
function measureNewest(window: Window, sample: readonly Temporal.PlainDateTime[]): number | undefined {
  if (sample.length < TELLING_ROWS) return undefined;
  const [first, last] = [sample[0] ?? window.to, sample.at(-1) ?? window.to];
  const isSorted = sample.every((time, index) => !isBefore(sample[index - 1] ?? time, time));
  if (!isSorted || !isBefore(last, first)) return undefined;
  return minutesBetween(last, isOpenAbove(window) ? first : window.to);
}

/** The shop fails at this window but not at others: ask for less of it, and for nothing as long. */
export function afterFault(plan: WindowPlan, window: Window): WindowPlan {
  const minutes = Math.max(1, Math.floor(countMinutes(plan, window) / 2));
  return { ...plan, maxMinutes: minutes, servedMinutes: minutes };
}

/** What the shop fails at was found and is left out: other windows may be as long as before. */
export function afterGap(plan: WindowPlan, gap: Window): WindowPlan {
  const rest = { from: plan.rest.from, to: gap.from };
  const servedMinutes = Number.POSITIVE_INFINITY;
  return { ...plan, rest, maxMinutes: DAY_MINUTES, servedMinutes };
}

/** The window could not be read: continue below its oldest day, of which no other part is of use now. */
export function afterUnproven(plan: WindowPlan, window: Window): WindowPlan {
  const midnight = window.from.toPlainDate().toPlainDateTime();
  const from = isBefore(plan.rest.from, midnight) ? midnight : plan.rest.from;
  const passed = isBefore(from, window.from) ? { ...window, from } : window;
  const maxMinutes = Math.max(plan.maxMinutes, DAY_MINUTES);
  const servedMinutes = Math.max(plan.servedMinutes, DAY_MINUTES);
  return { ...afterWhole(plan, passed, 0), density: plan.density, maxMinutes, servedMinutes };
}
