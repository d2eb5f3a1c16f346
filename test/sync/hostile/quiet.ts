/** Lets a sweep come to rest before each answer, so that a life runs the same way every time. */
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';

import { Pool } from 'pg';

import type { RequestLog, SimRequest } from '../../../src/simulator/api/request-log.ts';
import type { Db } from '../../../src/warehouse/db/database.ts';

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
