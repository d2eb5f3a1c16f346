import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { openFile } from '../../src/export/partition-file.ts';
import { openFolder } from '../support/scratch-folder.ts';

test('a file of CSV has all that was sent, however long a row is; the names of columns are no row', async () => {
  await using folder = await openFolder('csv');
  const rows = [
    'order_id,note\n',
    '1,short\n',
    `2,${'long '.repeat(200_000)}\n`,
    `3,${'x'.repeat(262_140)}\n`,
    '4,\n',
  ];
  const path = join(folder.path, 'part.csv');
  const file = openFile(path, 'csv', []);
  expect(rows.map((row) => file.take(Buffer.from(row)))).toEqual([0, 1, 1, 1, 1]);
  file.finish();
  expect(await readFile(path, 'utf8')).toBe(rows.join(''));
});
