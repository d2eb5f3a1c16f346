/** The log of the server, which stays beside its data. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import { firstRow } from '../support/database-processes.ts';
import { openFolder } from '../support/scratch-folder.ts';

test('of a statement that fails, the log has the error and none of the data', async () => {
  await using folder = await openFolder('embedded');
  await using database = await openEmbedded({ directory: folder.path, settings: { fsync: 'off' } });
  await firstRow(database.url, 'CREATE TABLE persons (email text PRIMARY KEY)');
  const add = `INSERT INTO persons VALUES ('a@mail.example')`;
  await firstRow(database.url, add);
  await expect(firstRow(database.url, add)).rejects.toThrow('duplicate key');
  const log = await readFile(join(folder.path, '.order-sync', 'server.log'), 'utf8');
  expect(log).toContain('ERROR:  duplicate key');
  expect(log).not.toMatch(/INSERT|a@mail\.example/);
});
