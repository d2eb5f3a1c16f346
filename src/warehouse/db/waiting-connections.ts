/** Looks after connections that have waited long for the server: some went silent, some wait for a lock. */
import { Socket } from 'node:net';

import { type Client, DatabaseError } from 'pg';

/** How long a connection that waits for the server may show no sign of life. */
const SILENT_AFTER_MS = 20_000;
/** Short waits for a lock are normal. */
const LOCKED_AFTER_S = 10;

export type WaitOptions = {
  /** Called once for each connection that waits, and each of another program that blocks it: says which that is, and what to do. */
  readonly onLockWait?: (reason: string) => void;
  /** @default 20_000 */
  readonly silentAfterMs?: number;
  /** @default 10 */
  readonly lockedAfterS?: number;
};

/**
 * Ends connections on which nothing arrives any more although nobody closed them, since a firewall forgot them or the server
 * was replaced: their statements fail, and the pool opens others. A statement may take as long as it likes while the server,
 * asked on a new connection, is at work on it.
 *
 * @param connect opens a connection whose queries fail within a few seconds
 * @param applicationName of all connections
 */
export function watchWaiting(
  connect: () => Promise<Client>,
  applicationName: string,
  isPooled: boolean,
  { onLockWait, silentAfterMs = SILENT_AFTER_MS, lockedAfterS = LOCKED_AFTER_S }: WaitOptions,
) {
  /** When a connection was last seen to be alive, and the bytes that had passed by then. */
  const signs = new Map<Client, { bytes: number; atMs: number }>();
  const reported = new Set<string>();
  const look = () => {
    for (const [client, sign] of signs) {
      const bytes = passedBytes(client);
      if (!isWaiting(client) || bytes !== sign.bytes) Object.assign(sign, { bytes, atMs: performance.now() });
    }
  };
  const quietFor = (ms: number) => [...signs].filter(([, sign]) => performance.now() - sign.atMs >= ms);
  /** Asks the server what it is at work on. */
  const ask = async () => {
    const client = await connect();
    try {
      const { rows } = await client.query<{ pid: unknown }>(AT_WORK, [isPooled ? applicationName : null]);
      const waits = await client.query<LockWait>(LOCK_WAITS, [applicationName, lockedAfterS]);
      for (const { pair, reason } of waits.rows) {
        if (!reported.has(pair)) onLockWait?.(reason);
        reported.add(pair);
      }
      const pids = new Set(rows.map(({ pid }) => pid));
      return (waiting: Client) => (isPooled ? pids.size > 0 : pids.has(Reflect.get(waiting, 'processID')));
    } finally {
      void client.end().catch(() => undefined);
    }
  };
  let isAsking = false;
  const check = async () => {
    look();
    if (isAsking || quietFor(silentAfterMs / 3).length === 0) return;
    isAsking = true;
    // A server that answers this query with an error may be at work on all of them; one that is out of reach is at work on none.
    const isAtWork = await ask().catch((error: unknown) => () => error instanceof DatabaseError);
    isAsking = false;
    look();
    for (const [client, sign] of quietFor(silentAfterMs / 3)) {
      if (isAtWork(client)) sign.atMs = performance.now();
    }
    for (const [client] of quietFor(silentAfterMs)) {
      client.connection.stream.destroy(
        Object.assign(new Error('the connection is silent'), { code: 'ETIMEDOUT' }),
      );
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

type LockWait = { readonly pair: string; readonly reason: string };

/** Connections of one process have names that end alike, whatever they are for. A prepared transaction has no process, but 0. */
const LOCK_WAITS = `
  SELECT w.pid || ' ' || blocker.pid AS pair,
    format('for %s s; %s', extract(epoch FROM clock_timestamp() - l.waitstart)::int, CASE
      WHEN blocker.pid = 0 THEN 'a prepared transaction holds it; pg_prepared_xacts lists them'
      ELSE format('process %1$s%2$s holds it; SELECT pg_terminate_backend(%1$s) ends that', blocker.pid,
        ' (' || nullif(concat_ws(', ', nullif(b.application_name, ''), b.state), '') || ')')
    END) AS reason
  FROM pg_stat_activity w
  JOIN pg_locks l ON l.pid = w.pid AND NOT l.granted AND l.waitstart <= clock_timestamp() - make_interval(secs => $2)
  CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocker(pid)
  LEFT JOIN pg_stat_activity b ON b.pid = blocker.pid
  WHERE w.datname = current_database() AND split_part(w.application_name, ' ', -1) = split_part($1, ' ', -1)
    AND split_part(b.application_name, ' ', -1) IS DISTINCT FROM split_part($1, ' ', -1)
  ORDER BY w.pid, blocker.pid`;
