/** At most one keeper per home. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes the home's lock, or returns undefined when another process holds it. Node has no `flock`, but SQLite locks
 * its file through the operating system, which gives the lock back however its holder dies: unlike a file with a pid
 * it is never stale, so nobody has to judge and break it.
 */
export function takeLock(home: string): Disposable | undefined {
  const database = new DatabaseSync(join(home, 'keeper.lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

const SQLITE_BUSY = 5;
