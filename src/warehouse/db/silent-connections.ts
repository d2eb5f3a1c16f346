import { Socket } from 'node:net';

import { type Client, DatabaseError } from 'pg';

/** How long a connection that waits for the server may show no sign of life. */
const SILENT_AFTER_MS = 20_000;

/** Whether the server is at work on what a connection sent. */
export type IsAtWork = (client: Client) => boolean;

/** When a connection was last seen to be alive, and the bytes that had passed by then. */
type Sign = { bytes: number; atMs: number };

export type SilenceWatch = Disposable & {
  /** Watches a connection until it ends. */
  add(client: Client): void;
};

/**
 * Ends connections on which nothing arrives any more although nobody closed them, since a firewall forgot them or the server
 * was replaced: their statements fail, and the pool opens others. A statement may take as long as it likes while the server,
 * asked on a new connection, is at work on it.
 *
 * @param ask asks the server, within a few seconds
 */
export function watchSilence(ask: () => Promise<IsAtWork>, silentAfterMs = SILENT_AFTER_MS): SilenceWatch {
  const signs = new Map<Client, Sign>();
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
    const isAtWork = await ask().catch(cannotTell);
    isAsking = false;
    for (const [client, sign] of findQuiet(silentAfterMs / 3)) {
      if (isAtWork(client)) sign.atMs = performance.now();
    }
    for (const [client] of findQuiet(silentAfterMs)) {
      client.connection.stream.destroy(
        Object.assign(new Error('the connection is silent'), { code: 'ETIMEDOUT' }),
      );
    }
  };
  const timer = setInterval(() => void check(), silentAfterMs / 6);
  return {
    add(client) {
      signs.set(client, { bytes: 0, atMs: performance.now() });
      client.once('end', () => signs.delete(client));
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      // One that was told to end, and is silent, would keep the process alive.
      for (const { connection } of signs.keys())
        if (connection.stream instanceof Socket) connection.stream.unref();
    },
  };
}

/** A server that answers, and refuses to tell, may be at work on all of them; one that is out of reach is at work on none. */
function cannotTell(error: unknown): IsAtWork {
  const isAnswer = error instanceof DatabaseError;
  return () => isAnswer;
}

/** For an answer, or for the server to hang up. The driver says this nowhere else. */
const isWaiting = (client: Client) =>
  Reflect.get(client, 'readyForQuery') === false || Reflect.get(client, '_ending') === true;

function passedBytes({ connection: { stream } }: Client): number {
  return stream instanceof Socket ? stream.bytesRead + stream.bytesWritten - stream.writableLength : 0;
}
