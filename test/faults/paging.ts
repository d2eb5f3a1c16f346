/** Faults in the proof that a window was read whole. */
import type { Fault } from './fault.ts';

const EXACT = 'A verified day is exact.';

const fault = (file: string, find: string, replace: string, ...tests: readonly string[]): Fault => ({
  promise: EXACT,
  file: `src/shop-api/paging/${file}.ts`,
  find,
  replace,
  tests: tests.map((test) => `test/shop-api/paging/${test}`),
});

export const FAULTS: readonly Fault[] = [
  fault('list-ends', 'to === undefined && !isDescending', 'false', 'list-ends'),
  fault(
    'confirm-ends',
    'if (isContradicted && (await isTotalOfDates(deps, list, placed)))',
    'if (isContradicted && list.pages < 0)',
    'list-ends',
  ),
  fault(
    'confirm-ends',
    'if (isAgreed && !mayHide) return list;',
    'if (isAgreed) return list;',
    'walk-odd-shop',
  ),
  fault('confirm-ends', 'received === endsAt ||', 'received < 0 ||', 'walk-odd-shop'),
  fault('confirm-ends', 'mayBeginLate &&', 'list.pages < 0 &&', 'walk-odd-shop'),
  fault(
    'confirm-ends',
    'return confirmsEnds === true || profile.isUndatedPartial || profile.endsAt !== undefined',
    'return confirmsEnds === true',
    'walk-odd-shop',
  ),
  fault(
    'confirm-ends',
    'isAnyOlder(deps, oldest.time)',
    'isAnyOlder(deps, oldest.time.subtract({ years: 9 }))',
    'walk-odd-shop',
  ),
  fault(
    'walk',
    'shown !== undefined && isBeyond(side, shown, end)',
    'shown !== undefined && isBeyond(side, end, shown) && isBeyond(side, shown, end)',
    'walk-odd-shop',
    'walk-lying-shop',
  ),
  fault('date-filter', "return 'ignored';", "return 'created';", 'date-filter'),
  fault(
    'date-filter',
    "byCreated ? 'created' : 'updated'",
    "byCreated ? 'created' : 'created'",
    'date-filter',
  ),
  fault(
    'confirm-below',
    'isBelow).symmetricDifference(expected).size === 0',
    'isBelow).isSubsetOf(expected)',
    'list-ends',
  ),
  fault(
    'confirm-below',
    'isBelow).symmetricDifference(expected).size === 0',
    'isBelow).size === expected.size',
    'list-ends',
  ),
  fault('look-beyond', '{ padding: { minutes: 1 }, isFar: true },\n', '', 'list-ends'),
  fault('proven-span', '(shownTwice?.(newest)?.from ?? newest)', 'newest', 'window-reading'),
  fault('list-state', 'isRecounted(list, page, read)', 'isRecounted(list, page, 0)', 'read-list'),
  fault('prove-by-halves', 'Math.max(1, most - SPARE_ROWS)', 'most', 'prove-by-halves'),
  fault('prove-by-halves', '!isContradicted([...pages, again]) && ', '', 'prove-by-halves'),
  fault('look-beyond', ' && received < Math.max(pageRows, pageCapacity(profile))', '', 'list-ends'),
  fault('request-page', '(first + asked) % requests.length', 'asked', 'request-page'),
  fault('walk', "if (again.verdict === 'complete' && isSame)", 'if (isSame)', 'walk.test'),
  fault('isolate-fault', "verdict === 'twice' || ", '', 'around-faults'),
  {
    promise: 'A verified day is exact.',
    about: 'An order at the end of a window lies beyond it.',
    file: 'src/shop-api/paging/asked-dates.ts',
    find: '!isBefore(time, to)).toSorted(byTime)',
    replace: 'isBefore(to, time)).toSorted(byTime)',
    tests: ['test/shop-api/paging/asked-dates'],
  },
  {
    promise: 'No order is out of reach.',
    about: 'An order that a page holds twice, and alike, is read.',
    file: 'src/shop-api/endpoints/list-orders.ts',
    find: 'else if (JSON.stringify(other.raw) !== JSON.stringify(row.raw)) twins.add',
    replace: 'else twins.add',
    tests: ['test/shop-api/endpoints/list-orders'],
  },
];
