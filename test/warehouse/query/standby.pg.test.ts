/** A read replica, which `sql` answers from like any other server. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { openEmbedded } from '../../../src/embedded-postgres/open-embedded.ts';
import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { withClient } from '../../support/database-clients.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { openFolder } from '../../support/scratch-folder.ts';
import { runMigrations } from '../../../src/warehouse/db/migrations.ts';
import { loadShop, order } from '../views/views-load.ts';

test('a hot standby answers a query', async () => {
  await using folder = await openFolder('tests');
  const primary = await openEmbedded({ directory: folder.path });
  {
    await using database = await openDatabase(primary.url);
    await runMigrations(database);
    await loadShop(database.db, 'north', [order({ cents: 1_050 })]);
  }
  const { rows } = await withClient(primary.url, (client) => client.query('SHOW data_directory'));
  await primary.close();

  await writeFile(join(String(rows[0]?.data_directory), 'standby.signal'), '');
  await using standby = await openEmbedded({ directory: folder.path });
  const ask = (query: string) =>
    runInProcess(['sql', query, '--format', 'csv'], { DATABASE_URL: standby.url });
  expect(await ask('SELECT pg_is_in_recovery() AS is_replica, order_sum FROM orders')).toMatchObject({
    code: 0,
    stdout: 'is_replica,order_sum\ntrue,10.50\n',
  });
});
