/** One process at a time creates, starts or stops the server of a home. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 10;
/** Whoever holds it may be recovering a large database. */
const FREE_WITHIN_MS = 600_000;
const SQLITE_BUSY = 5;

/**
 * Waits for the home's lock. Node has no `flock`, but SQLite locks its file through the operating system, which gives
 * the lock back however its holder dies: unlike a file with a pid it is never stale, so nobody has to judge and break it.
 */
export async function takeLock(home: string): Promise<Disposable> {
  const database = new DatabaseSync(join(home, 'lock'), { timeout: 0 });
  for (const deadline = Date.now() + FREE_WITHIN_MS; ; await sleep(POLL_MS)) {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return database;
    } catch (error) {
      const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
      if (isBusy && Date.now() < deadline) continue;
      database.close();
      throw isBusy ? new Error('another process has been starting or stopping it for ten minutes') : error;
    }
  }
}
