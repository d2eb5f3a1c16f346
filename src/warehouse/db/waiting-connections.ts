/** Looks after connections that have waited long for the server: some went silent, some wait for a lock. */
import { Socket } from 'node:net';

import { type Client, DatabaseError } from 'pg';

/** How long a connection that waits for the server may show no sign of life. */
const SILENT_AFTER_MS = 20_000;
/** Short waits for a lock are normal. */
const LOCKED_AFTER_S = 10;

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

/** What the server says of this program's connections. */
export type ServerView = {
  /** Whether it is at work on what a connection sent. */
  readonly isAtWork: (client: Client) => boolean;
  readonly lockWaits: readonly LockWait[];
};

export type WaitOptions = {
  /** Called once for each pair of waiting and blocking connections. */
  readonly onLockWait?: (wait: LockWait) => void;
  /** @default 20_000 */
  readonly silentAfterMs?: number;
  /** @default 10 */
  readonly lockedAfterS?: number;
};

/** When a connection was last seen to be alive, and the bytes that had passed by then. */
type Sign = { bytes: number; atMs: number };

/**
 * Ends connections on which nothing arrives any more although nobody closed them, since a firewall forgot them or the server
 * was replaced: their statements fail, and the pool opens others. A statement may take as long as it likes while the server,
 * asked on a new connection, is at work on it.
 *
 * @param ask asks the server, within a few seconds
 */
export function watchWaiting(
  ask: () => Promise<ServerView>,
  { onLockWait = () => undefined, silentAfterMs = SILENT_AFTER_MS }: WaitOptions,
) {
  const signs = new Map<Client, Sign>();
  const reported = new Set<string>();
  const findQuiet = (ms: number) =>
    [...signs].filter(([client, sign]) => {
      const bytes = passedBytes(client);
      if (!isWaiting(client) || bytes !== sign.bytes) {
        Object.assign(sign, { bytes, atMs: performance.now() });
      }
      return performance.now() - sign.atMs >= ms;
    });
  let isAsking = false;
  const check = async () => {
    if (isAsking || findQuiet(silentAfterMs / 3).length === 0) return;
    isAsking = true;
    const { isAtWork, lockWaits } = await ask().catch(cannotTell);
    isAsking = false;
    for (const [client, sign] of findQuiet(silentAfterMs / 3)) {
      if (isAtWork(client)) sign.atMs = performance.now();
    }
    for (const [client] of findQuiet(silentAfterMs)) {
      client.connection.stream.destroy(
        Object.assign(new Error('the connection is silent'), { code: 'ETIMEDOUT' }),
      );
    }
    for (const wait of lockWaits) {
      const pair = `${wait.waitingPid} ${wait.pid}`;
      if (!reported.has(pair)) onLockWait(wait);
      reported.add(pair);
    }
  };
  const timer = setInterval(() => void check(), silentAfterMs / 6);
  return {
    /** Watches a connection until it ends. */
    add(client: Client): void {
      signs.set(client, { bytes: 0, atMs: performance.now() });
      client.once('end', () => signs.delete(client));
    },
    [Symbol.dispose](): void {
      clearInterval(timer);
      // One that was told to end, and is silent, would keep the process alive.
      for (const { connection } of signs.keys())
        if (connection.stream instanceof Socket) connection.stream.unref();
    },
  };
}

/** A server that answers, and refuses to tell, may be at work on all of them; one that is out of reach is at work on none. */
function cannotTell(error: unknown): ServerView {
  return { isAtWork: () => error instanceof DatabaseError, lockWaits: [] };
}

/** For an answer, or for the server to hang up. The driver says this nowhere else. */
const isWaiting = (client: Client) =>
  Reflect.get(client, 'readyForQuery') === false || Reflect.get(client, '_ending') === true;

function passedBytes({ connection: { stream } }: Client): number {
  return stream instanceof Socket ? stream.bytesRead + stream.bytesWritten - stream.writableLength : 0;
}

/**
 * A backend that waits for its client is not at work; a coordinator of Citus shows the same while it waits for its workers.
 * Behind a pooler a connection has no backend of its own: one at work may be that of any connection of this program, or, if the
 * pooler keeps their names from the server, of any program.
 */
const AT_WORK = `
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND (wait_event_type IS DISTINCT FROM 'Client' OR wait_event = 'ClientRead' AND state = 'active'
      AND EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'))
    AND ($1::text IS NULL OR starts_with(application_name, $1)
      OR NOT starts_with(current_setting('application_name'), $1))`;

/** Connections of one process have names that end alike, whatever they are for. */
const LOCK_WAITS = `
  SELECT w.pid AS "waitingPid", extract(epoch FROM clock_timestamp() - l.waitstart)::int AS seconds,
    blocker.pid, nullif(b.application_name, '') AS "applicationName", b.state
  FROM pg_stat_activity w
  JOIN pg_locks l ON l.pid = w.pid AND NOT l.granted AND l.waitstart <= clock_timestamp() - make_interval(secs => $2)
  CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocker(pid)
  LEFT JOIN pg_stat_activity b ON b.pid = blocker.pid
  WHERE w.datname = current_database() AND split_part(w.application_name, ' ', -1) = split_part($1, ' ', -1)
    AND split_part(b.application_name, ' ', -1) IS DISTINCT FROM split_part($1, ' ', -1)
  ORDER BY w.pid, blocker.pid`;

/** @param client a connection that was opened for this @param seconds the minimum wait for a lock */
export async function readServerView(
  client: Pick<Client, 'query'>,
  applicationName: string,
  isPooled: boolean,
  seconds: number = LOCKED_AFTER_S,
): Promise<ServerView> {
  const { rows } = await client.query<{ pid: number }>(AT_WORK, [isPooled ? applicationName : null]);
  const pids = new Set<unknown>(rows.map(({ pid }) => pid));
  const { rows: lockWaits } = await client.query<LockWait>(LOCK_WAITS, [applicationName, seconds]);
  const isAtWork = (waiting: Client) =>
    isPooled ? pids.size > 0 : pids.has(Reflect.get(waiting, 'processID'));
  return { isAtWork, lockWaits };
}

/** Who holds the lock, and what to do. */
export function lockWaitText({ seconds, pid, applicationName, state }: LockWait): string {
  const waited = `for ${seconds} s`;
  if (pid === 0) return `${waited}; a prepared transaction holds it; pg_prepared_xacts lists them`;
  const facts = [applicationName, state].filter((fact) => fact !== null).join(', ');
  return `${waited}; process ${pid}${facts === '' ? '' : ` (${facts})`} holds it; SELECT pg_terminate_backend(${pid}) ends that`;
}
