import { sql } from 'drizzle-orm';

import { TransientError } from '../../model/errors.ts';
import type { Db, Tx } from './database.ts';
import { codeOf } from './database-error.ts';

/** A read took too long, and its query was cancelled. */
export class ReadTimeoutError extends TransientError {
  override readonly name = 'ReadTimeoutError';

  constructor(timeoutMs: number, cause?: unknown) {
    super(`the database did not answer within ${timeoutMs / 1000} s`, { cause });
  }
}

const QUERY_CANCELED = '57014';

/**
 * Reads in a transaction of its own. The server cancels a statement that takes longer, so that nobody who asks again and again
 * piles up queries.
 *
 * @throws ReadTimeoutError when it did
 */
export async function readWithin<Result>(db: Db, timeoutMs: number, read: (tx: Tx) => Promise<Result>) {
  try {
    return await db.transaction(async (tx) => {
      await tx.execute(sql`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`);
      return read(tx);
    });
  } catch (error) {
    throw codeOf(error) === QUERY_CANCELED ? new ReadTimeoutError(timeoutMs, error) : error;
  }
}
