import type { Client } from 'pg';

import type { Database } from './database.ts';

/** A connection of this program that waits, and one of another program that it waits for. */
export type LockWait = {
  readonly waitingPid: number;
  readonly seconds: number;
  /** 0 for a prepared transaction, which has no process. */
  readonly pid: number;
  /** What the other calls itself; null where it has gone, or names nothing. */
  readonly applicationName: string | null;
  /** As in `pg_stat_activity`; null where this user may not see it. */
  readonly state: string | null;
};

const LOOK_MS = 5_000;
/** Locks are held for moments: only a longer wait is worth a word. */
const SAID_AFTER_S = 10;

/**
 * Looks every few seconds, until disposed of, for locks that connections of a database have long waited for.
 *
 * @param say told once of each pair of who waits and who holds
 */
export function watchLockWaits(
  database: Pick<Database, 'connect' | 'applicationName'>,
  say: (wait: LockWait) => void,
): AsyncDisposable {
  const told = new Set<string>();
  // A connection of its own: those of the pool may all be waiting.
  const own: { client?: Client } = {};
  const look = async () => {
    own.client ??= await database.connect();
    for (const wait of await readLockWaits(own.client, database.applicationName, SAID_AFTER_S)) {
      const pair = `${wait.waitingPid} ${wait.pid}`;
      if (!told.has(pair)) say(wait);
      told.add(pair);
    }
  };
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    // What fails here fails where it matters too, and is told there.
    looking ??= look()
      .catch(async () => {
        await own.client?.end().catch(() => undefined);
        delete own.client;
      })
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
      await own.client?.end().catch(() => undefined);
    },
  };
}

/**
 * @param applicationName of the connections that wait
 * @param seconds only of those that have waited for this long
 */
export async function readLockWaits(
  client: Pick<Client, 'query'>,
  applicationName: string,
  seconds: number,
): Promise<readonly LockWait[]> {
  const { rows } = await client.query<LockWait>(
    `SELECT w.pid AS "waitingPid", extract(epoch FROM clock_timestamp() - l.waitstart)::int AS seconds,
       blocker.pid, nullif(b.application_name, '') AS "applicationName", b.state
     FROM pg_stat_activity w
     JOIN pg_locks l ON l.pid = w.pid AND NOT l.granted AND l.waitstart <= clock_timestamp() - make_interval(secs => $2)
     CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocker(pid)
     LEFT JOIN pg_stat_activity b ON b.pid = blocker.pid
     WHERE w.datname = current_database() AND w.application_name = $1 AND b.application_name IS DISTINCT FROM $1
     ORDER BY w.pid, blocker.pid`,
    [applicationName, seconds],
  );
  return rows;
}

/** A sentence for people. */
export function lockWaitText({ seconds, pid, applicationName, state }: LockWait): string {
  const waits = `Waiting for ${seconds} s for a lock in the database`;
  if (pid === 0) return `${waits}: a prepared transaction holds it; pg_prepared_xacts lists them.`;
  const facts = [applicationName, state].filter((fact) => fact !== null).join(', ');
  return `${waits}: process ${pid}${facts === '' ? '' : ` (${facts})`} holds it. SELECT pg_terminate_backend(${pid}) ends that.`;
}
