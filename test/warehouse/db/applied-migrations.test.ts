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
