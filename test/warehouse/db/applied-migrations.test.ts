import { expect, test } from 'vitest';

import { dueMigrations } from '../../../src/warehouse/db/migrations.ts';

/** What a database has: a name, a hash, and the version that applied it. */
type Row = readonly [name: string, hash: string, version: string];

const NEWEST = '0.2.0';
const BASELINE: Row = ['0000_baseline', 'a', '0.1.0'];
const WHOLE: readonly Row[] = [
  BASELINE,
  ['0001_next', 'n', NEWEST],
  ['functions/mark_orders', 'm', NEWEST],
  ['views/orders', 'v', NEWEST],
];
const FILES = WHOLE.map(([name, hash]) => ({ name, hash, sql: '' }));

function due(applied: readonly Row[] | undefined, own = NEWEST): readonly string[] {
  const rows = applied?.map(([name, hash, version]) => [name, { name, hash, version }] as const);
  return dueMigrations(rows && new Map(rows), FILES, own).map(({ name }) => name);
}

test.each<[string, readonly Row[] | undefined, readonly string[]]>([
  ['that is empty', undefined, FILES.map(({ name }) => name)],
  ['of an older version', [BASELINE], ['0001_next', 'functions/mark_orders', 'views/orders']],
  ['that is up to date', WHOLE, []],
  ['with an older function', [...WHOLE, ['functions/mark_orders', 'x', '0.1.0']], ['functions/mark_orders']],
  ['with a view of a former version', [...WHOLE, ['views/gone', 'g', '0.1.0']], []],
])('files that a database %s lacks are due', (_what, applied, lacking) => {
  expect(due(applied)).toEqual(lacking);
});

test.each([
  ['0.10.0', '0.9.0', true],
  ['0.10.0', '0.10.0', false],
  ['1.0.0', '0.99.9', true],
  ['9.9.9', '10.0.0', false],
])(
  'a view that version %s applied, read by version %s: the database is newer: %s',
  (applied, own, isNewer) => {
    const lacking = () => due([...WHOLE, ['views/orders', 'x', applied]], own);
    const newer = `The database is newer than this order-sync ${own}: version ${applied} applied views/orders. Update order-sync`;
    if (isNewer) expect(lacking).toThrow(newer);
    else expect(lacking()).toEqual(['views/orders']);
  },
);

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
    [BASELINE, ['0001_next', 'x', '0.1.5']],
    /^Migration 0001_next is not the one that order-sync 0\.1\.5 applied to this database/,
  ],
  [
    'that a newer version migrated',
    [BASELINE, ['0002_a', 'x', '0.3.0']],
    /0\.3\.0 applied 0002_a\. Update order-sync$/,
  ],
  [
    'with a view of a newer version',
    [...WHOLE, ['views/gone', 'g', '0.3.0']],
    /0\.3\.0 applied views\/gone\. Update order-sync$/,
  ],
])('a database %s is refused', (_what, rows, sentence) => {
  expect(() => due(rows)).toThrow(sentence);
});
