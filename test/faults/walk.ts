/** Faults in reading the shop's list with proof, and in which days a reading makes whole. */
import type { Fault } from './fault.ts';

const EXACT = 'A verified day is exact.';
const REACH = 'No order is out of reach.';
const MOVING = 'test/shop-api/paging/walk-moving-list';

export const FAULTS: readonly Fault[] = [
  {
    promise: EXACT,
    file: 'src/shop-api/paging/window-reading.ts',
    find: 'provenPart(window, provenSpan(',
    replace: "provenPart(window, verdict === 'few' ? window : provenSpan(",
    tests: [MOVING],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/proven-span.ts',
    find: 'if (isBefore(proven.to, window.to)) return',
    replace: 'if (isBefore(proven.to, window.from)) return',
    tests: [MOVING],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/proven-span.ts',
    find: 'const from = maxTime(window.from, proven.from);',
    replace: 'const from = window.from;',
    tests: [MOVING],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/proven-span.ts',
    find: '(shownTwice?.(oldest)?.to ?? oldest.add({ minutes: 1 }))',
    replace: '(shownTwice?.(oldest)?.to ?? oldest)',
    tests: ['test/shop-api/paging/window-reading'],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/list-state.ts',
    find: 'return first === read && totals.at(-1) === read ? 0 : 1;',
    replace: 'return 0;',
    tests: [MOVING],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/list-state.ts',
    find: 'isFault ? !mayHideRow : page.received === 0',
    replace: 'isFault ? !mayHideRow : page.received >= 0',
    tests: [MOVING],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/confirm-ends.ts',
    find: 'const isAgreed = list.pages < 2 && list.total === received;',
    replace: 'const isAgreed = list.pages < 2 || list.total === received;',
    tests: ['test/shop-api/paging/list-ends'],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/confirm-below.ts',
    find: 'if (span === undefined || isBefore(asked.window.from, span.from)) continue;',
    replace: 'if (span === undefined) continue;',
    tests: ['test/shop-api/paging/around-faults'],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/prove-by-halves.ts',
    find: 'return holdsSame(whole.keys, keys) ? pages : undefined;',
    replace: 'return keys.length > 0 ? pages : undefined;',
    tests: ['test/shop-api/paging/prove-by-halves', MOVING],
  },
  {
    promise: EXACT,
    file: 'src/shop-api/paging/list-state.ts',
    find: 'if (page.received === 1) return afterLastRow',
    replace: 'if (page.received === 1 || page.received < (list.received[0] ?? 0)) return afterLastRow',
    tests: [MOVING],
  },
  {
    promise: EXACT,
    file: 'src/plan/days/day-progress.ts',
    find: 'if (minutesLeft > 0) next.set',
    replace: 'if (minutesLeft > DAY_MINUTES / 2) next.set',
    tests: [MOVING],
  },
  {
    promise: EXACT,
    file: 'src/plan/days/day-progress.ts',
    find: 'const since = isSooner ? before.since : read.askedAt;',
    replace: 'const since = isSooner ? read.askedAt : before.since;',
    tests: [MOVING],
  },
  {
    promise: EXACT,
    file: 'src/plan/days/day-progress.ts',
    find: 'day.moves !== undefined && day.moves === moves',
    replace: 'day.moves !== undefined && moves !== undefined',
    tests: ['test/plan/day-parts', 'test/sync/sweep/split-days'],
  },
  {
    promise: REACH,
    file: 'src/plan/days/due-days.ts',
    find: 'const before = known[index - 1]?.day.add({ days: 1 });',
    replace: 'const before = known[index - 1] && row.day;',
    tests: ['test/plan/days/due-days'],
  },
  {
    promise: REACH,
    file: 'src/plan/days/audit-due.ts',
    find: "if (last === undefined) return 'now';",
    replace: "if (last === undefined) return 'later';",
    tests: ['test/plan/days/audit-due'],
  },
  {
    promise: REACH,
    about: 'An order that lost its date is found by its buyer.',
    file: 'src/sync/sweep/orders/judge-missing.ts',
    find: 'created === undefined || !isInWindow(window, created);',
    replace: 'created !== undefined && !isInWindow(window, created);',
    tests: ['test/sync/sweep/undated'],
  },
  {
    promise: REACH,
    about: 'Orders without a date are found by the total, where the last audit was a sweep.',
    file: 'src/plan/days/audit-due.ts',
    find: '(last.live ?? last.orders)',
    replace: '(last.live ?? 0)',
    tests: ['test/plan/days/audit-due'],
  },
  {
    promise: REACH,
    about: 'The list is read without dates, even if the clock ran ahead the last time.',
    file: 'src/plan/days/audit-due.ts',
    find: "if (ageMs < 0 || ageMs >= WEEK_MS) return 'now';",
    replace: "if (ageMs >= WEEK_MS) return 'now';",
    tests: ['test/plan/days/audit-due'],
  },
];
