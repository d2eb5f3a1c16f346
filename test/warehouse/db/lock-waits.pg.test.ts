import { sql } from 'drizzle-orm';
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { openDatabase } from '../../../src/warehouse/db/database.ts';
import {
  type LockWait,
  lockWaitText,
  readServerView,
} from '../../../src/warehouse/db/waiting-connections.ts';
import { withClient } from '../../support/database-clients.ts';
import { emptyDatabase, freshDatabase } from '../../support/database.ts';
import { patienceMs } from '../../support/patience.ts';

async function readLockWaits(client: Pick<Client, 'query'>, applicationName: string, seconds: number) {
  return (await readServerView(client, applicationName, false, seconds)).lockWaits;
}

test('a lock wait reports who holds the lock, also in a chain, but no statement', async () => {
  await using fresh = await freshDatabase();
  await using database = await openDatabase(fresh.url);
  await withClient(fresh.url, async (holder) => {
    await holder.query(`SET application_name = 'a report'`);
    await holder.query(`BEGIN; LOCK TABLE core.orders; SELECT 'secret'`);
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const own = await database.connect();
    const waits = async () => readLockWaits(own, database.applicationName, 0);
    try {
      expect(await waits()).toEqual([]);
      // The second waits for the first, which is of this program, and for the holder.
      const lock = () => database.db.transaction((tx) => tx.execute(sql`LOCK TABLE core.orders`));
      const waiting = [lock(), lock()];
      await expect.poll(waits, { timeout: patienceMs() }).toHaveLength(2);
      const wait = { pid: rows[0]?.pid, applicationName: 'a report', state: 'idle in transaction' };
      expect(await waits()).toMatchObject([wait, wait]);
      expect(JSON.stringify(await waits())).not.toContain('secret');
      expect(await readLockWaits(own, database.applicationName, 3_600)).toEqual([]);
      await holder.query('ROLLBACK');
      await Promise.all(waiting);
      expect(await waits()).toEqual([]);
    } finally {
      await own.end();
    }
  });
});

test('connections of one process for other purposes count as its own', async () => {
  await using fresh = await freshDatabase();
  await using database = await openDatabase(fresh.url);
  await using claims = await openDatabase(fresh.url, 1, 'order-sync claims');
  await withClient(fresh.url, async (holder) => {
    await holder.query('BEGIN; LOCK TABLE ops.shop_state');
    // A transaction sees connections as they were when it first looked.
    const own = await database.connect();
    const waits = async () => readLockWaits(own, database.applicationName, 0);
    const lock = () => claims.db.transaction((tx) => tx.execute(sql`LOCK TABLE ops.shop_state`));
    const waiting = lock();
    await expect.poll(waits, { timeout: patienceMs() }).toHaveLength(1);
    await holder.query('ROLLBACK');
    await waiting;
    const claiming = Promise.withResolvers<void>();
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`LOCK TABLE ops.shop_state`);
      void lock().then(() => claiming.resolve(), claiming.reject);
      const blocked = 'SELECT 1 FROM pg_locks WHERE NOT granted';
      await expect
        .poll(async () => (await holder.query(blocked)).rowCount, { timeout: patienceMs() })
        .toBeGreaterThan(0);
      expect(await waits()).toEqual([]);
    });
    await claiming.promise;
    await own.end();
  });
});

test('a lock wait is reported where a prepared transaction holds the lock, which has no connection', async (context) => {
  await using fresh = await emptyDatabase();
  await using database = await openDatabase(fresh.url);
  await withClient(fresh.url, async (client) => {
    const { rows } = await client.query<{ most: number }>(
      `SELECT current_setting('max_prepared_transactions')::int AS most`,
    );
    if (rows[0]?.most === 0) context.skip('the server allows no prepared transactions');
    await client.query('BEGIN; LOCK TABLE core.orders');
    await client.query(`PREPARE TRANSACTION 'left behind'`);
    const waiting = database.db.transaction((tx) => tx.execute(sql`LOCK TABLE core.orders`));
    try {
      const waits = async () => readLockWaits(client, database.applicationName, 0);
      const wait = { pid: 0, applicationName: null, state: null };
      await expect.poll(waits, { timeout: patienceMs() }).toMatchObject([wait]);
    } finally {
      await client.query(`ROLLBACK PREPARED 'left behind'`);
    }
    await waiting;
  });
});

test('long waits are looked for again and again, and each is told once', async () => {
  await using fresh = await freshDatabase();
  const told: number[] = [];
  const waits = {
    onLockWait: ({ pid }: LockWait) => void told.push(pid),
    silentAfterMs: 60,
    lockedAfterS: 0,
  };
  await using database = await openDatabase(fresh.url, 2, 'order-sync', waits);
  const holders: (number | undefined)[] = [];
  for (let time = 1; time <= 3; time++) {
    await withClient(fresh.url, async (holder) => {
      await holder.query('BEGIN; LOCK TABLE core.orders');
      const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      holders.push(rows[0]?.pid);
      const waiting = database.db.transaction((tx) => tx.execute(sql`LOCK TABLE core.orders`));
      await expect.poll(() => told.length, { timeout: patienceMs() }).toBeGreaterThanOrEqual(time);
      await holder.query('ROLLBACK');
      await waiting;
    });
  }
  expect(told).toEqual(holders);
});

test('a lock wait becomes a sentence', () => {
  const wait: LockWait = {
    waitingPid: 1,
    seconds: 12,
    pid: 4711,
    applicationName: 'psql',
    state: 'idle in transaction',
  };
  expect(lockWaitText(wait)).toBe(
    'for 12 s; process 4711 (psql, idle in transaction) holds it; SELECT pg_terminate_backend(4711) ends that',
  );
  expect(lockWaitText({ ...wait, applicationName: null, state: null })).toContain('process 4711 holds it');
  expect(lockWaitText({ ...wait, pid: 0 })).toContain('a prepared transaction holds it');
});
