import { type SQL, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { readWithin } from '../../../src/warehouse/db/read-within.ts';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

const HELD = sql`SELECT pg_advisory_lock(17)`;
/** The first ones may be over before the read has begun, and then nothing is cancelled. */
const TIMEOUTS_MS = [50, 500, 5_000];

test('a statement that gets the connection of a read that is over is not cancelled in its stead', async () => {
  await using copy = await freshDatabase();
  await using other = await openDatabase(copy.url, 2);
  await using database = await openDatabase(copy.url, 1);
  const [gate, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isAsked = false;
  const execute = async (query: SQL) => {
    isAsked = true;
    await gate.promise;
    await other.db.execute(query);
    sent.resolve();
  };
  const late = new Proxy(database.db, {
    get: (db, name) => (name === 'execute' ? execute : Reflect.get(db, name, db)),
  });
  for (const timeoutMs of TIMEOUTS_MS) {
    if (isAsked) break;
    const read = readWithin(late, timeoutMs, (tx) => tx.execute(sql`SELECT pg_sleep(60)`));
    await expect(read).rejects.toThrow('the database did not answer within');
  }
  expect(isAsked).toBe(true);

  await other.db.transaction(async (tx) => {
    await tx.execute(HELD);
    const next = database.db
      .execute(sql`SELECT pg_advisory_lock(17), 'read' AS state`)
      .then(({ rows }) => rows);
    const waits = sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (
      SELECT oid FROM pg_database WHERE datname = current_database())`;
    await until('the next statement waits', async () => (await tx.execute(waits)).rows.length > 0);
    gate.resolve();
    await sent.promise;
    await tx.execute(sql`SELECT pg_advisory_unlock(17)`);
    expect(await next).toMatchObject([{ state: 'read' }]);
  });
});
