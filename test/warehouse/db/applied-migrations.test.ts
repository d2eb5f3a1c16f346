import { expect, test } from 'vitest';

import { type AppliedMigrations, dueMigrations } from '../../../src/warehouse/db/applied-migrations.ts';

const BASELINE = { name: '0000_baseline', hash: 'a', sql: '' };
const VIEW = { name: 'views/orders', hash: 'mine', sql: '' };

/** A database to which this version applied the baseline, and another one the view. */
function withViewOf(version: string): AppliedMigrations {
  const baseline = { name: BASELINE.name, hash: BASELINE.hash, version: '0.1.0' };
  const view = { name: VIEW.name, hash: 'other', version };
  return new Map([baseline, view].map((row) => [row.name, row]));
}

test.each([
  ['0.10.0', '0.9.0', true],
  ['0.10.0', '0.10.0', false],
  ['1.0.0', '0.99.9', true],
  ['9.9.9', '10.0.0', false],
])(
  'a view that version %s applied, read by version %s: the database is newer: %s',
  (applied, own, isNewer) => {
    const due = () => dueMigrations(withViewOf(applied), [BASELINE, VIEW], own);
    const newer = `The database is newer than this order-sync ${own}: version ${applied} applied views/orders. Update order-sync`;
    if (isNewer) expect(due).toThrow(newer);
    else expect(due()).toEqual([VIEW]);
  },
);

const NEXT = { name: '0001_next', hash: 'n', sql: '' };
const MARKS = { name: 'functions/mark_orders', hash: 'm', sql: '' };
const FILES = [BASELINE, NEXT, MARKS, VIEW];
type Row = readonly [name: string, hash: string, version: string];
const appliedOf = (...rows: readonly Row[]): AppliedMigrations =>
  new Map(rows.map(([name, hash, version]) => [name, { name, hash, version }]));
const due = (applied: AppliedMigrations | undefined) => dueMigrations(applied, FILES, '0.2.0');

test('what a database lacks is due, and what is applied as it is is not', () => {
  expect(due(undefined)).toEqual(FILES);
  expect(due(appliedOf(['0000_baseline', 'a', '0.1.0']))).toEqual([NEXT, MARKS, VIEW]);
  const whole = appliedOf(
    ['0000_baseline', 'a', '0.1.0'],
    ['0001_next', 'n', '0.2.0'],
    ['functions/mark_orders', 'm', '0.2.0'],
    ['views/orders', 'mine', '0.2.0'],
  );
  expect(due(whole)).toEqual([]);
  const other = new Map([...whole, ...appliedOf(['functions/mark_orders', 'x', '0.1.0'])]);
  expect(due(other)).toEqual([MARKS]);
  // A view that this version has not is of a former one, or of a newer one.
  const former = new Map([...whole, ...appliedOf(['views/gone', 'g', '0.1.0'])]);
  expect(due(former)).toEqual([]);
  expect(() => due(new Map([...whole, ...appliedOf(['views/gone', 'g', '0.3.0'])]))).toThrow(
    /0\.3\.0 applied views\/gone\. Update order-sync$/,
  );
});

test.each<[string, readonly Row[], RegExp]>([
  [
    'of another program',
    [['0001_next', 'n', '0.1.0']],
    /^The table ops\.migrations of the database was not made by order-sync/,
  ],
  [
    'from before the first release',
    [['0000_baseline', 'x', '0.0.1']],
    /^Migration 0000_baseline is not the one that order-sync 0\.0\.1 applied .* an empty database/,
  ],
  [
    'with another migration of a name',
    [
      ['0000_baseline', 'a', '0.1.0'],
      ['0001_next', 'x', '0.1.5'],
    ],
    /^Migration 0001_next is not the one that order-sync 0\.1\.5 applied to this database/,
  ],
  [
    'that a newer version migrated',
    [
      ['0000_baseline', 'a', '0.1.0'],
      ['0002_a', 'x', '0.3.0'],
    ],
    /0\.3\.0 applied 0002_a\. Update order-sync$/,
  ],
])('a database %s is refused', (_what, rows, sentence) => {
  expect(() => due(appliedOf(...rows))).toThrow(sentence);
});
