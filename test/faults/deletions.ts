/** Faults in what judges orders that the list leaves out, and in audits. */
import type { Fault } from './fault.ts';

export const FAULTS: readonly Fault[] = [
  {
    promise: 'It is cheap.',
    about: "Few orders are looked for among their buyers', whatever a shop says of those that are gone.",
    file: 'src/sync/sweep/orders/judge-missing.ts',
    find: '.slice(0, MAX_SEEMINGLY_GONE)',
    replace: '',
    tests: ['test/sync/sweep/gone-words'],
  },
  {
    promise: 'Deletions are found, and never guessed.',
    about: 'A missing order that the shop serves again is looked for.',
    file: 'src/sync/sweep/orders/judge-missing.ts',
    find: "({ presence }) => presence === 'served');",
    replace: "({ order, presence }) => presence === 'served' && !order.isMarked);",
    tests: ['test/sync/sweep/deletions'],
  },
  {
    promise: 'Deletions are found, and never guessed.',
    about: 'An order is looked for by what its buyer left, whatever that is.',
    file: 'src/sync/sweep/orders/judge-missing.ts',
    find: 'if (phone !== null) return { phone };',
    replace: 'if (phone !== null) return { email: phone };',
    tests: ['test/sync/sweep/deletions'],
  },
  {
    promise: 'A verified day is exact.',
    about: 'A missing order that another list shows in its window holds up its day.',
    file: 'src/sync/sweep/orders/judge-missing.ts',
    find: "row !== undefined || verdict === 'doubt');",
    replace: "verdict === 'doubt');",
    tests: ['test/sync/sweep/unknown-presence'],
  },
  {
    promise: 'It is cheap.',
    about: 'Of a shop that never shows all of its list, an audit says nothing of what it lacks.',
    file: 'src/sync/sweep/audit-shop.ts',
    find: 'if (!end.isPartial) {',
    replace: '{',
    tests: ['test/sync/sweep/audit-shop'],
  },
  {
    promise: 'Deletions are found, and never guessed.',
    about: 'Audits find that an order without a date is deleted.',
    file: 'src/sync/sweep/audit-shop.ts',
    find: '    await markDeleted(tx, lease.shopId, verdicts.delete, at);\n',
    replace: '',
    tests: ['test/sync/sweep/undated-orders'],
  },
  {
    promise: 'Deletions are found, and never guessed.',
    about: 'What another list shows is not missing, however long it was a suspect.',
    file: 'src/sync/sweep/orders/judge-missing.ts',
    find: 'const since = row === undefined ? suspects.get(orderId) : undefined;',
    replace: 'const since = suspects.get(orderId);',
    tests: ['test/sync/sweep/unknown-presence'],
  },
];
