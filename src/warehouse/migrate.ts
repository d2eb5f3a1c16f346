import { join } from 'node:path';

import { drizzle } from 'drizzle-orm/node-postgres';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';

import { PACKAGE_ROOT } from '../paths.ts';
import type { Database } from './database.ts';
import { TRANSACTION_SETTINGS } from './session.ts';

const migrationsFolder = join(PACKAGE_ROOT, 'drizzle');

/** Any constant will do; all copies of the program must agree on it. */
const LOCK_KEY = 7_305_114_209;

/**
 * Applies the migrations that the database lacks, each once, whoever comes first: the migrator itself takes no lock.
 *
 * @param onNotice told what a migration could not do for lack of a privilege, and who can
 * @returns how many were applied
 */
export async function runMigrations(
  database: Database,
  onNotice: (sentence: string) => void = () => undefined,
): Promise<number> {
  const client = await database.connect();
  // Ours carry a hint; PostgreSQL's own, such as of a view that need not be dropped, do not.
  client.on('notice', ({ message, hint }) => {
    if (hint !== undefined) onNotice(`${message} ${hint}.`);
  });
  try {
    // Anybody who may connect can hold such a lock: it is waited for only where there is something to do.
    if ((await appliedCount(client)) >= countMigrations()) return 0;
    // A pooler has no sessions to hold a lock. The migrator's own BEGIN only warns in a transaction, and its COMMIT, which
    // is the last thing it does, ends this one and so gives the lock back.
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${TRANSACTION_SETTINGS}`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const before = await appliedCount(client);
    if (before >= countMigrations()) return 0;
    await migrate(drizzle(client), { migrationsFolder });
    return (await appliedCount(client)) - before;
  } finally {
    // Ends a transaction that is still open, too.
    await client.end();
  }
}

/** How many migrations this version of the program has. */
export function countMigrations(): number {
  return readMigrationFiles({ migrationsFolder }).length;
}

async function appliedCount(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS exists`,
  );
  if (rows[0]?.exists !== true) return 0;
  const counted = await client.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM drizzle.__drizzle_migrations',
  );
  return counted.rows[0]?.count ?? 0;
}
