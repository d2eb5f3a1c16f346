/** Faults in reading a window of the shop's list with proof. */
import type { Fault } from './fault.ts';

export const FAULTS: readonly Fault[] = [
  {
    promise: 'A verified day is exact.',
    file: 'src/shop-api/paging/read-matching.ts',
    find: 'if (first.received < 2) return',
    replace: 'if (first.received < 1) return',
    tests: ['test/shop-api/paging/walk.test'],
  },
];
