import { expect, test } from 'vitest';

import { type AppliedMigrations, dueMigrations } from '../../../src/warehouse/db/applied-migrations.ts';
import { readMigrationFiles } from '../../../src/warehouse/db/migration-files.ts';

const BASELINE = { name: '0000_baseline', hash: 'a', sql: '' };
const VIEW = { name: 'views/orders', view: 'bi.orders', hash: 'mine', sql: '' };

/** A database to which this version applied the baseline, and another one the view. */
function withViewOf(version: string): AppliedMigrations {
  const baseline = { name: BASELINE.name, hash: BASELINE.hash, version: '0.1.0' };
  const view = { name: VIEW.name, hash: 'other', version };
  return new Map([baseline, view].map((row) => [row.name, row]));
}

test.each([
  ['0.9.0', '0.10.0', false],
  ['0.10.0', '0.9.0', true],
  ['0.10.0', '0.10.0', false],
  ['1.0.0', '0.99.9', true],
  ['9.9.9', '10.0.0', false],
  ['0.1.10', '0.1.9', true],
  ['0.1.9', '0.1.10', false],
])(
  'a view that version %s applied, read by version %s: the database is newer: %s',
  (applied, own, isNewer) => {
    const due = () => dueMigrations(withViewOf(applied), { migrations: [BASELINE], views: [VIEW] }, own);
    const newer = `The database is newer than this order-sync ${own}: version ${applied} applied views/orders`;
    // Views only gain columns.
    if (isNewer) expect(due()).toEqual({ migrations: [], views: [], newer });
    else expect(due()).toEqual({ migrations: [], views: [VIEW] });
  },
);

test.each([
  ['0.1.0', 'works'],
  ['0.2.0', 'works'],
  ['0.2.1', 'is refused'],
  ['0.10.0', 'is refused'],
  [null, 'is refused'],
])('version 0.2.0 meets a migration of 0.11.0 that works with %s: it %s', (worksWith, verdict) => {
  const applied = new Map(withViewOf('0.2.0'));
  applied.set('0001_next', { name: '0001_next', hash: 'b', version: '0.11.0', works_with: worksWith });
  const due = () => dueMigrations(applied, { migrations: [BASELINE], views: [VIEW] }, '0.2.0');
  const newer = 'The database is newer than this order-sync 0.2.0: version 0.11.0 applied 0001_next';
  if (verdict === 'works') expect(due()).toEqual({ migrations: [], views: [], newer });
  else expect(due).toThrow(`${newer}. Update order-sync`);
});

test('each migration says which versions work with it', () => {
  const later = readMigrationFiles().migrations.slice(6);
  expect(later.filter(({ worksWith }) => !/^\d+\.\d+\.\d+$/.test(worksWith ?? ''))).toEqual([]);
  expect(later).not.toEqual([]);
});

const NEXT = { name: '0001_next', hash: 'n', sql: '' };
const FILES = { migrations: [BASELINE, NEXT], views: [VIEW] };
/** A name, a hash, a version, and the oldest one that works with it. */
type Row = readonly [name: string, hash: string, version: string, worksWith?: string];
const appliedOf = (...rows: readonly Row[]): AppliedMigrations =>
  new Map(
    rows.map(([name, hash, version, worksWith = null]) => [
      name,
      { name, hash, version, works_with: worksWith },
    ]),
  );
const due = (applied: AppliedMigrations | undefined) => dueMigrations(applied, FILES, '0.2.0');

test('what a database lacks is due, and what is applied as it is is not', () => {
  expect(due(undefined)).toEqual(FILES);
  expect(due(appliedOf(['0000_baseline', 'a', '0.1.0']))).toEqual({ migrations: [NEXT], views: [VIEW] });
  const whole = appliedOf(
    ['0000_baseline', 'a', '0.1.0'],
    ['0001_next', 'n', '0.2.0'],
    ['views/orders', 'mine', '0.2.0'],
  );
  expect(due(whole)).toEqual({ migrations: [], views: [] });
  // A view that this version has not is of a former one, or of a newer one.
  const former = new Map([...whole, ...appliedOf(['views/gone', 'g', '0.1.0'])]);
  expect(due(former)).toEqual({ migrations: [], views: [] });
  expect(due(new Map([...whole, ...appliedOf(['views/gone', 'g', '0.3.0'])])).newer).toMatch(
    /0\.3\.0 applied views\/gone$/,
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
    /made by a version of order-sync before its first release/,
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
    'of two newer versions, one of which cannot be worked with',
    [
      ['0000_baseline', 'a', '0.1.0'],
      ['0002_a', 'x', '0.3.0', '0.1.0'],
      ['0003_b', 'x', '0.4.0', '0.4.0'],
    ],
    /0\.4\.0 applied 0003_b\. Update order-sync$/,
  ],
])('a database %s is refused', (_what, rows, sentence) => {
  expect(() => due(appliedOf(...rows))).toThrow(sentence);
});

test('of two newer versions that can be worked with the first is told, however a view differs', () => {
  const applied = appliedOf(
    ['0000_baseline', 'a', '0.1.0'],
    ['views/orders', 'x', '0.4.0'],
    ['0003_b', 'x', '0.4.0', '0.2.0'],
  );
  expect(due(applied)).toEqual({
    migrations: [],
    views: [],
    newer: 'The database is newer than this order-sync 0.2.0: version 0.4.0 applied views/orders',
  });
});
