import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { withClient } from '../../../support/database-clients.ts';
import { emptyDatabase } from '../../../support/database.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { until } from '../../../support/until.ts';

const LOOKS = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%ops.migrations%'`;

test('migrate --wait applies nothing, and ends when the migrations are applied', async () => {
  await using database = await emptyDatabase();
  const env = { DATABASE_URL: database.url };
  await withClient(database.url, (client) =>
    client.query(`DELETE FROM ops.migrations WHERE name LIKE '%sync_freshness'`),
  );
  let ended = false;
  const waiting = runInProcess(['migrate', '--wait'], env).then((result) => {
    ended = true;
    return result;
  });
  await withClient(database.url, (client) =>
    until('it has looked', async () => {
      const { rows } = await client.query(LOOKS);
      return rows.length > 0;
    }),
  );
  // It looks again meanwhile.
  await sleep(2_500);
  expect(ended).toBe(false);
  expect((await runInProcess(['migrate'], env)).stdout).toContain('sync_freshness');
  const { code, stdout, stderr } = await waiting;
  expect([code, stdout]).toEqual([0, 'The database is up to date.\n']);
  expect(stderr.match(/Waiting: \S*sync_freshness\S* is not applied; run order-sync migrate/g)).toHaveLength(
    1,
  );
});

test('migrate --wait is refused with the embedded database', async () => {
  const { code, stderr } = await runInProcess(['migrate', '--wait'], {});
  expect(code).toBe(2);
  expect(stderr).toContain('needs DATABASE_URL');
});
