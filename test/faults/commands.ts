/** Faults in what commands read and write: explain, sql, export, and several shops at once. */
import type { Fault } from './fault.ts';

export const FAULTS: readonly Fault[] = [
  {
    promise: 'It says how it is doing.',
    about: 'Of several shops, the worst exit code counts.',
    file: 'src/cli/commands/warehouse/explain.ts',
    find: 'worst = worse(worst, printShop(context, shop, asked));',
    replace: 'worst = printShop(context, shop, asked);',
    tests: ['test/cli/explain'],
  },
  {
    promise: 'It says how it is doing.',
    about: 'What is wrong for every shop is said once.',
    file: 'src/cli/each-shop.ts',
    find: 'context.signal.aborted || error instanceof UsageError',
    replace: 'context.signal.aborted',
    tests: ['test/cli/several-shops'],
  },
  {
    promise: 'It says how it is doing.',
    about: 'What the server lacks is no mistake of a query.',
    file: 'src/warehouse/query/read-query.ts',
    find: '/^(08|28|53|57P|58|XX)/',
    replace: '/^(08|28|57P|58|XX)/',
    tests: ['test/cli/output/query-failure'],
  },
  {
    promise: 'Figures are those of the shop.',
    about: 'Ages grow in exported files though no order changes.',
    file: 'src/export/partitions.ts',
    find: "has('changed_at') && !has('age_days')",
    replace: "has('changed_at')",
    tests: ['test/export'],
  },
  {
    promise: 'Figures are those of the shop.',
    about: 'Files that an earlier version wrote, with other columns, are written again.',
    file: 'src/export/partitions.ts',
    find: 'partition.orders === null || !hasSameColumns(partition.view, before)',
    replace: 'partition.orders === null',
    tests: ['test/export'],
  },
  {
    promise: 'It says how it is doing.',
    about: 'A mistake that shows when a query runs is pointed at.',
    file: 'src/warehouse/query/read-query.ts',
    find: 'error.internalQuery === text ? error.internalPosition : undefined',
    replace: 'undefined',
    tests: ['test/cli/output/query-failure'],
  },
  {
    promise: 'Figures are those of the shop.',
    about: 'Columns of one name are told apart, however many there are.',
    file: 'src/warehouse/query/read-query.ts',
    find: 'for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;',
    replace: 'if (taken.has(name)) unique = `${name}_2`;',
    tests: ['test/cli/sql-reader'],
  },
];
