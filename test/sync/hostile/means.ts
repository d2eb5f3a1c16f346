/** What a life needs of its database: that it fails, that it comes to rest, and that it is cheap. */
import type { Db } from '../../../src/warehouse/db/database.ts';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Pool } from 'pg';
import type { RequestLog, SimRequest } from '../../../src/simulator/api/request-log.ts';
import { withClient } from '../../support/database-clients.ts';

/** A database that loses its connection at the end of the transaction of this number: nothing of it is kept. */
export function failingAt(db: Db, at: number): Db {
  let transactions = 0;
  const transaction: Db['transaction'] = (work, config) => {
    transactions += 1;
    const isFailing = transactions === at;
    return db.transaction(async (tx) => {
      const result = await work(tx);
      if (isFailing) throw new Error('the connection to the database broke');
      return result;
    }, config);
  };
  return new Proxy(db, {
    get: (target, key) => (key === 'transaction' ? transaction : Reflect.get(target, key, target)),
  });
}

/** Turns of the event loop in which nothing else may happen. */
const QUIET_TURNS = 2;
/** A sweep that waits for an answer meanwhile would never be at rest. */
const MAX_TURNS = 1_000;

/**
 * Settles when the database has nothing to do, and, before the answer to a list request, nothing else is asked of the
 * shop: what a window is loaded from does not depend then on how quick the database is.
 *
 * @param db one that only this sweep uses
 */
export async function quiet(db: Db, requests: RequestLog, { query, route }: SimRequest): Promise<void> {
  const pool = poolOf(db);
  let quietTurns = 0;
  for (let turns = 0; quietTurns < QUIET_TURNS && turns < MAX_TURNS; turns += 1) {
    if (isIdle(pool)) {
      // Counts are asked for beside each other.
      const isAlone = route !== 'orders' || query['limit'] === '1' || requests.inFlight() === 1;
      quietTurns = isAlone ? quietTurns + 1 : 0;
      await turn();
    } else {
      quietTurns = 0;
      await once(pool, 'release');
    }
  }
}

function isIdle(pool: Pool): boolean {
  return pool.idleCount === pool.totalCount && pool.waitingCount === 0;
}

function poolOf(db: Db): Pool {
  const pool: unknown = '$client' in db ? db.$client : undefined;
  if (!(pool instanceof Pool)) throw new TypeError('the database has no pool');
  return pool;
}

/**
 * Takes the upkeep of the views' sums out of a database: it has tests of its own, costs as much as a small sweep, and
 * lets one sweep at a time pass.
 */
export async function withoutSums(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      `CREATE OR REPLACE FUNCTION ops.refresh_summaries() RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'`,
    );
    const { rows } = await client.query<{ command: string }>(
      `SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname) AS command FROM pg_trigger
       WHERE NOT tgisinternal AND tgname LIKE 'marks_%'`,
    );
    for (const { command } of rows) await client.query(command);
  });
}
