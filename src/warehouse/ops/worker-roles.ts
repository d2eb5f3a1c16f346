import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';

/** What one worker does for all: `exporter` reports the metrics of the shops. */
export type WorkerRole = 'exporter';

/**
 * Takes a role if it is free, or keeps it. A row, and not a lock of a session, since a pooler keeps no session.
 *
 * @param ttlMs a holder that does not come back for this long loses it
 * @returns whether this worker has it now
 */
export async function holdRole(db: Db | Tx, role: WorkerRole, holder: string, ttlMs: number) {
  const expiry = sql`now() + make_interval(secs => ${ttlMs / 1000})`;
  const { rows } = await db.execute(sql`
    INSERT INTO ops.worker_roles AS held (role, holder, expires_at) VALUES (${role}, ${holder}, ${expiry})
    ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE held.holder = excluded.holder OR held.expires_at <= now()
    RETURNING role`);
  return rows.length > 0;
}

/** Gives up the roles of a worker that stops, so that another takes them at once. */
export async function releaseRoles(db: Db, holder: string): Promise<void> {
  await db.execute(sql`DELETE FROM ops.worker_roles WHERE holder = ${holder}`);
}
