/** Logins for BI tools and for people: they read the views, and nothing else. */
import { DatabaseError, escapeIdentifier, escapeLiteral } from 'pg';

import { TerminalError, UsageError } from '../../model/errors.ts';
import type { Database } from '../db/database.ts';

export type BiLogin = {
  readonly name: string;
  /** Whose views it reads. */
  readonly schemas: readonly ('bi' | 'bi_pii')[];
  /** Undefined: a login that is there keeps its own. */
  readonly password: string | undefined;
  /** Affects only how timestamps are shown: the days in the views are the shop's own. */
  readonly timezone: string | undefined;
};

const MAX_CONNECTIONS = 20;
const INSUFFICIENT_PRIVILEGE = '42501';
const UNDEFINED_OBJECT = '42704';

/** Whether there is such a role. @throws UsageError for one that may do more than read, which would lose or gain rights */
export async function findLogin(database: Pick<Database, 'query'>, name: string): Promise<boolean> {
  const { rows } = await database.query(
    `SELECT NOT rolcanlogin OR rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
       OR pg_has_role(oid, (SELECT nspowner FROM pg_namespace WHERE nspname = 'ops'), 'MEMBER')
       OR EXISTS (SELECT FROM pg_roles w WHERE w.rolname = 'order_sync_worker' AND pg_has_role(r.oid, w.oid, 'MEMBER'))
       AS is_other
     FROM pg_roles r WHERE rolname = $1`,
    [name],
  );
  const [found]: readonly { is_other: boolean }[] = rows;
  if (found?.is_other === true)
    throw new UsageError(`${name} is a role that is not a read-only login; choose another name`);
  return found !== undefined;
}

/**
 * Makes a login, or lets one that somebody made read the views, as a member of the roles for that. Safe to run again: what was set for
 * a login that is there stays.
 *
 * @throws TerminalError that says what an administrator has to run
 */
export async function makeLogin(
  { query }: Pick<Database, 'query'>,
  { name, schemas, password, timezone }: BiLogin,
  exists: boolean,
): Promise<void> {
  const role = escapeIdentifier(name);
  const { rows: granted } = await query(
    `SELECT roleid::regrole::text AS reader FROM pg_auth_members WHERE member = (SELECT oid FROM pg_roles WHERE rolname = $1)`,
    [name],
  );
  const readers = schemas.map((schema) => `${schema}_reader`);
  const missing = readers.filter((reader) => !granted.some((row) => row.reader === reader));
  const statements = (secret: string) => [
    ...(exists ? [] : [`CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${MAX_CONNECTIONS}`]),
    ...(password === undefined ? [] : [`ALTER ROLE ${role} PASSWORD ${secret}`]),
    // Ends queries that are too expensive, so that they do not hold up the sync.
    ...(exists ? [] : [`ALTER ROLE ${role} SET statement_timeout = '60s'`]),
    ...(exists ? [] : [`ALTER ROLE ${role} SET default_transaction_read_only = on`]),
    // Compiling a query takes longer than most of them; and reading here and there costs no more than reading on, on the disks of today.
    ...(exists ? [] : [`ALTER ROLE ${role} SET jit = off`, `ALTER ROLE ${role} SET random_page_cost = 1.1`]),
    ...(timezone === undefined ? [] : [`ALTER ROLE ${role} SET timezone = ${escapeLiteral(timezone)}`]),
    ...missing.map((reader) => `GRANT ${reader} TO ${role}`),
  ];
  try {
    // As one query, they are one transaction.
    await query(statements(escapeLiteral(password ?? '')).join('; '));
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code !== INSUFFICIENT_PRIVILEGE && code !== UNDEFINED_OBJECT) throw error;
    const toRun = statements("'…'").map((statement) => `${statement};`);
    throw new TerminalError(
      `the user of DATABASE_URL may not do this. As an administrator run in its database: ${toRun.join(' ')} Then run this again`,
      { cause: error },
    );
  }
}
