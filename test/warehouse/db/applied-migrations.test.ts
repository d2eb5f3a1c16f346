import { expect, test } from 'vitest';

import { type AppliedMigrations, dueMigrations } from '../../../src/warehouse/db/applied-migrations.ts';

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
    if (isNewer) expect(due).toThrow(`version ${applied} applied views/orders`);
    else expect(due()).toEqual({ migrations: [], views: [VIEW] });
  },
);
