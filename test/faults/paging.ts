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
  fault('confirm-ends', 'dates.to === undefined && !isDescending', 'false', 'list-ends'),
  fault(
    'confirm-ends',
    'if (isContradicted && (await isTotalOfDates(deps, list)))',
    'if (isContradicted && list.pages < 0)',
    'list-ends',
  ),
  fault(
    'confirm-ends',
    'if (list.pages < 2 && list.total === received) return list;',
    'if (list.pages < 2) return list;',
    'list-ends',
  ),
  fault(
    'confirm-ends',
    'isBelow).symmetricDifference(expected).size === 0',
    'isBelow).isSubsetOf(expected)',
    'list-ends',
  ),
  fault(
    'confirm-ends',
    'isBelow).symmetricDifference(expected).size === 0',
    'isBelow).size === expected.size',
    'list-ends',
  ),
  fault(
    'confirm-ends',
    'for (const padding of [{ minutes: 1 }, { days: 2 }]) {\n    const list',
    'for (const padding of [{ days: 2 }]) {\n    const list',
    'list-ends',
  ),
  fault('window-reading', 'oldest.add({ minutes: 1 })', 'oldest', 'window-reading'),
  fault('list-state', 'isRecounted(list, page, read)', 'isRecounted(list, page, 0)', 'read-list'),
  fault('prove-by-halves', 'Math.max(1, most - SPARE_ROWS)', 'most', 'prove-by-halves'),
  fault('prove-by-halves', '!isContradicted([...pages, again]) && ', '', 'prove-by-halves'),
  fault('confirm-ends', ' && received < pageCapacity(profile)', '', 'list-ends'),
  fault('ask-page', '(first + asked) % requests.length', 'asked', 'ask-page'),
  fault('walk', "if (again.verdict === 'complete' && isSame)", 'if (isSame)', 'walk.test'),
  fault('isolate-fault', "if (verdict === 'twice') return last?.rows;", '', 'around-faults'),
];
