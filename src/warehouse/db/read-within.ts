import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'drizzle-orm';

import type { Db, Tx } from './database.ts';

/** A read took too long, and its query was cancelled. */
export class ReadTimeoutError extends Error {
  override readonly name = 'ReadTimeoutError';

  constructor(timeoutMs: number) {
    super(`the database did not answer within ${timeoutMs / 1000} s`);
  }
}

const CANCEL_EVERY_MS = 200;

type Backend = { readonly pid: number; readonly began: string };
type Reading = { backend: Backend | undefined; isOver: boolean };

/**
 * Reads in a transaction of its own. When its time is up, the query that runs is cancelled, so that nobody who asks again
 * and again piles up queries.
 *
 * @throws ReadTimeoutError when the time is up
 */
export async function readWithin<Result>(db: Db, timeoutMs: number, read: (tx: Tx) => Promise<Result>) {
  const reading: Reading = { backend: undefined, isOver: false };
  const work = db
    .transaction(async (tx) => {
      // The server gives up by itself too, where this process cannot reach it any more.
      const { rows } = await tx.execute<Backend>(sql`
        SELECT pg_backend_pid() AS pid, now()::text AS began, set_config('statement_timeout', ${String(timeoutMs)}, true)`);
      [reading.backend] = rows;
      return await read(tx);
    })
    .finally(() => {
      reading.isOver = true;
    });
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new ReadTimeoutError(timeoutMs));
    void cancel(db, reading);
  }, timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/**
 * Until the read is over: between two of its statements there is nothing to cancel. Whoever is given the connection after it
 * has begun another transaction.
 */
async function cancel(db: Db, reading: Readonly<Reading>): Promise<void> {
  while (!reading.isOver) {
    if (reading.backend !== undefined) {
      const { pid, began } = reading.backend;
      const ofRead = sql`pid = ${pid} AND xact_start = ${began}::timestamptz`;
      await db
        .execute(sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${ofRead}`)
        .catch(() => undefined);
    }
    await sleep(CANCEL_EVERY_MS, undefined, { ref: false });
  }
}
