/** A connection that waits long for a lock says who holds it. */
import { sql } from 'drizzle-orm';
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { type Database, openDatabase } from '../../../src/warehouse/db/database.ts';
import { withClient } from '../../support/database-clients.ts';
import { emptyDatabase, freshDatabase } from '../../support/database.ts';
import { patienceMs } from '../../support/patience.ts';

const SOON = { silentAfterMs: 60, lockedAfterS: 0 };
const lock = ({ db }: Database) => db.transaction((tx) => tx.execute(sql`LOCK TABLE core.orders`));

async function untilTold(told: readonly string[], count: number): Promise<void> {
  await expect.poll(() => told.length, { timeout: patienceMs() }).toBeGreaterThanOrEqual(count);
}

async function pidOf(holder: Client): Promise<number> {
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

test('long lock waits are detected repeatedly, and each is reported once, also in a chain, without its statement', async () => {
  await using fresh = await freshDatabase();
  const told: string[] = [];
  const onLockWait = (reason: string) => void told.push(reason);
  await using database = await openDatabase(fresh.url, 2, 'order-sync', { ...SOON, onLockWait });
  for (let time = 1; time <= 3; time++) {
    await withClient(fresh.url, async (holder) => {
      await holder.query(`SET application_name = 'a report'`);
      await holder.query(`BEGIN; LOCK TABLE core.orders; SELECT 'secret'`);
      const pid = await pidOf(holder);
      // The second waits for the first, which is of this program, and for the holder.
      const waiting = [lock(database), lock(database)];
      await untilTold(told, 2 * time);
      await holder.query('ROLLBACK');
      await Promise.all(waiting);
      expect(told.slice(2 * time - 2)).toEqual(
        waiting.map(() =>
          expect.stringMatching(
            new RegExp(
              `^for \\d s; process ${pid} \\(a report, idle in transaction\\) holds it; SELECT pg_terminate_backend\\(${pid}\\) ends that$`,
            ),
          ),
        ),
      );
    });
  }
});

test('connections of one process for other purposes count as its own', async () => {
  await using fresh = await freshDatabase();
  const told: string[] = [];
  const onLockWait = (reason: string) => void told.push(reason);
  await using database = await openDatabase(fresh.url);
  await using claims = await openDatabase(fresh.url, 1, 'order-sync claims', { ...SOON, onLockWait });
  await withClient(fresh.url, async (holder) => {
    const waiting = database.db.transaction(async (tx) => {
      await tx.execute(sql`LOCK TABLE core.orders`);
      const claiming = lock(claims);
      const blocked = 'SELECT 1 FROM pg_locks WHERE NOT granted';
      await expect
        .poll(async () => (await holder.query(blocked)).rowCount, { timeout: patienceMs() })
        .toBeGreaterThan(0);
      await tx.execute(sql`SELECT pg_sleep(0.3)`);
      return { claiming };
    });
    await (
      await waiting
    ).claiming;
    expect(told).toEqual([]);
    await holder.query('BEGIN; LOCK TABLE core.orders');
    const claiming = lock(claims);
    await untilTold(told, 1);
    await holder.query('ROLLBACK');
    await claiming;
  });
});

test('a lock wait is reported where a prepared transaction holds the lock, which has no connection', async (context) => {
  await using fresh = await emptyDatabase();
  const told: string[] = [];
  const onLockWait = (reason: string) => void told.push(reason);
  await using database = await openDatabase(fresh.url, 2, 'order-sync', { ...SOON, onLockWait });
  await withClient(fresh.url, async (client) => {
    const { rows } = await client.query<{ most: number }>(
      `SELECT current_setting('max_prepared_transactions')::int AS most`,
    );
    if (rows[0]?.most === 0) context.skip('the server allows no prepared transactions');
    await client.query('BEGIN; LOCK TABLE core.orders');
    await client.query(`PREPARE TRANSACTION 'left behind'`);
    const waiting = lock(database);
    try {
      await untilTold(told, 1);
      expect(told[0]).toContain('a prepared transaction holds it');
    } finally {
      await client.query(`ROLLBACK PREPARED 'left behind'`);
    }
    await waiting;
  });
});
