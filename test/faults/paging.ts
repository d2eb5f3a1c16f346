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
    'if (isContradicted && (await isTotalOfDates(deps, answer)))',
    'if (isContradicted && answer.pages < 0)',
    'list-ends',
  ),
  fault(
    'confirm-ends',
    'if (answer.pages < 2 && answer.total === received) return answer;',
    'if (answer.pages < 2) return answer;',
    'list-ends',
  ),
  fault('confirm-below', 'found.length === expected.size && ', '', 'list-ends'),
  fault(
    'confirm-below',
    'found.every(({ orderId }) => expected.has(orderId))',
    'found.length > 0',
    'list-ends',
  ),
  fault('conclude', 'oldest.add({ minutes: 1 })', 'oldest', 'conclude'),
  fault(
    'read-matching',
    'if (isRecounted(first, next, read)) return',
    'if (isRecounted(first, next, 0)) return',
    'read-matching',
  ),
  fault('prove-by-halves', 'Math.max(1, most - SPARE_ROWS)', 'most', 'prove-by-halves'),
  fault('prove-by-halves', ' || isContradicted([...pages, again])', '', 'prove-by-halves'),
  fault('confirm-ends', ' && page.received < pageCapacity(profile)', '', 'list-ends'),
  fault('page-fault', '(first + asked) % requests.length', 'asked', 'page-fault'),
  fault(
    'read-single-order',
    "if (beyond === 'unfiltered' || beyond.received > 0)",
    "if (beyond === 'unfiltered')",
    'walk',
  ),
  fault(
    'isolate-fault',
    'if (page.keys.every((key) => seen.has(key))) return undefined;',
    'if (page.received === 0) return undefined;',
    'around-faults',
  ),
];
