/** Faults in how the lines of orders are compared with them, asked for again and added up. */
import type { Fault } from './fault.ts';

export const FAULTS: readonly Fault[] = [
  {
    promise: 'A verified day is exact.',
    about: 'Lines that contradict their order are asked for again by later sweeps.',
    file: 'src/warehouse/orders/due-lines.ts',
    find: 'WHERE is_doubtful AND lines_attempts > 0 AND',
    replace: 'WHERE is_doubtful AND lines_attempts > 99 AND',
    tests: ['test/cli/doubtful-lines'],
  },
  {
    promise: 'It is cheap.',
    about: 'A shop that still serves contents cut is asked for a sample.',
    file: 'src/sync/sweep/orders/sweep-lines.ts',
    find: "? 'all' : 'none'",
    replace: "? 'all' : 'due'",
    tests: ['test/cli/doubtful-lines'],
  },
  {
    promise: 'It is cheap.',
    about: 'An order whose count is wrong for good is asked for less and less often.',
    file: 'src/warehouse/orders/due-lines.ts',
    find: 'least(lines_attempts - 2, ${doubtful.maxDoublings}::int)',
    replace: 'least(1, ${doubtful.maxDoublings}::int)',
    tests: ['test/cli/doubtful-lines'],
  },
  {
    promise: 'It is cheap.',
    about: 'A shop that counts otherwise from now on is not asked twice.',
    file: 'src/plan/orders/line-relations.ts',
    find: 'most >= MIN_CHANGED &&',
    replace: 'most >= 1e9 &&',
    tests: ['test/cli/doubtful-lines', 'test/plan/orders/line-relations'],
  },
  {
    promise: 'A verified day is exact.',
    about: 'Lines that were cut before the shop was known to count them are found.',
    file: 'src/sync/sweep/orders/sweep-lines.ts',
    find: "await markDoubts(tx, lease.shopId, 'doubtful', ids(false));",
    replace: 'ids(false);',
    tests: ['test/cli/doubtful-lines'],
  },
  {
    promise: 'Bad data costs no order.',
    about: 'Lines of which one could not be read are not compared with their order.',
    file: 'src/warehouse/orders/due-lines.ts',
    find: 'coalesce(max(line_no), 0) = count(*) AS is_whole',
    replace: 'true AS is_whole',
    tests: ['test/warehouse/orders/order-lines'],
  },
  {
    promise: 'It is cheap.',
    about:
      'Doubtful lines of an open order are asked for as seldom as before once they were read for their age.',
    file: 'src/sync/sweep/orders/prepare-order.ts',
    find: 'isDoubtful && !isSame ? 0 :',
    replace: 'isDoubtful ? 0 :',
    tests: ['test/cli/doubtful-lines'],
  },
  {
    promise: 'Figures are those of the shop.',
    about: 'Sums of an order follow its lines, also where these are read in another way.',
    file: 'src/warehouse/orders/rewrite-orders.ts',
    find: "'lines_total', 'list_total'].includes",
    replace: "'lines_total'].includes",
    tests: ['test/sync/replay/replay-shop'],
  },
];
