import type { Client } from 'pg';

import type { Database } from './database.ts';

/** A waiting connection of this program, and one of another program that blocks it. */
export type LockWait = {
  readonly waitingPid: number;
  readonly seconds: number;
  /** 0 for a prepared transaction, which has no process. */
  readonly pid: number;
  /** Of the blocking connection; null where it is gone or has none. */
  readonly applicationName: string | null;
  /** As in `pg_stat_activity`; null where hidden from this user. */
  readonly state: string | null;
};

/** Short waits are normal. */
const USUAL = { everyMs: 5_000, afterS: 10 } as const;

/**
 * Checks every few seconds for connections that have waited long for a lock, until disposed.
 *
 * @param onWait called once for each pair of waiting and blocking connections
 */
export function watchLockWaits(
  database: Pick<Database, 'connect' | 'applicationName'>,
  onWait: (wait: LockWait) => void,
  { everyMs, afterS }: { readonly everyMs: number; readonly afterS: number } = USUAL,
): AsyncDisposable {
  const reported = new Set<string>();
  // A connection of its own: those of the pool may all be waiting.
  const own: { client?: Client } = {};
  const check = async () => {
    own.client ??= await database.connect();
    for (const wait of await readLockWaits(own.client, database.applicationName, afterS)) {
      const pair = `${wait.waitingPid} ${wait.pid}`;
      if (!reported.has(pair)) onWait(wait);
      reported.add(pair);
    }
  };
  let checking: Promise<void> | undefined;
  const timer = setInterval(() => {
    // A database error shows up in the command itself as well.
    checking ??= check()
      .catch(async () => {
        await own.client?.end().catch(() => undefined);
        delete own.client;
      })
      .finally(() => {
        checking = undefined;
      });
  }, everyMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await checking;
      await own.client?.end().catch(() => undefined);
    },
  };
}

/**
 * @param applicationName of this program's connections; its last word is the process, whatever the connections are for
 * @param seconds the minimum wait
 */
export async function readLockWaits(client: Pick<Client, 'query'>, applicationName: string, seconds: number) {
  const { rows } = await client.query<LockWait>(
    `SELECT w.pid AS "waitingPid", extract(epoch FROM clock_timestamp() - l.waitstart)::int AS seconds,
       blocker.pid, nullif(b.application_name, '') AS "applicationName", b.state
     FROM pg_stat_activity w
     JOIN pg_locks l ON l.pid = w.pid AND NOT l.granted AND l.waitstart <= clock_timestamp() - make_interval(secs => $2)
     CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocker(pid)
     LEFT JOIN pg_stat_activity b ON b.pid = blocker.pid
     WHERE w.datname = current_database() AND split_part(w.application_name, ' ', -1) = split_part($1, ' ', -1)
       AND split_part(b.application_name, ' ', -1) IS DISTINCT FROM split_part($1, ' ', -1)
     ORDER BY w.pid, blocker.pid`,
    [applicationName, seconds],
  );
  return rows;
}

/** Who holds the lock, and what to do. */
export function lockWaitText({ seconds, pid, applicationName, state }: LockWait): string {
  const waited = `for ${seconds} s`;
  if (pid === 0) return `${waited}; a prepared transaction holds it; pg_prepared_xacts lists them`;
  const facts = [applicationName, state].filter((fact) => fact !== null).join(', ');
  return `${waited}; process ${pid}${facts === '' ? '' : ` (${facts})`} holds it; SELECT pg_terminate_backend(${pid}) ends that`;
}
