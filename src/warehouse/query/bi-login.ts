/** Logins for BI tools and for people: they read the views, and nothing else. */
import { type Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg';

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
    throw new UsageError(`${name} is the name of a role that is no login for reading alone; choose another`);
  return found !== undefined;
}

/**
 * Makes a login, or lets one that somebody made read the views: as a member of the roles for that, or by grants of its own where
 * this user may not grant them. Safe to run again: what was set for a login that is there stays.
 *
 * @throws TerminalError that says what an administrator has to run
 */
export async function makeLogin(
  database: Pick<Database, 'connect'>,
  { name, schemas, password, timezone }: BiLogin,
  exists: boolean,
): Promise<void> {
  const client = await database.connect();
  const role = escapeIdentifier(name);
  const secret = password === undefined ? '' : ` PASSWORD ${escapeLiteral(password)}`;
  const zone = timezone === undefined ? [] : [`ALTER ROLE ${role} SET timezone = ${escapeLiteral(timezone)}`];
  try {
    await client.query('BEGIN');
    if (exists && password !== undefined) {
      const mayNot = `the user of DATABASE_URL may not change the password of ${name}; run this without --password-file`;
      await must(client, [`ALTER ROLE ${role}${secret}`], mayNot);
    }
    if (!exists) {
      const made = [
        `CREATE ROLE ${role} LOGIN${secret} CONNECTION LIMIT ${MAX_CONNECTIONS}`,
        // Ends queries that are too expensive, so that they do not hold up the sync.
        `ALTER ROLE ${role} SET statement_timeout = '60s'`,
        `ALTER ROLE ${role} SET default_transaction_read_only = on`,
      ];
      const mayNot =
        `the user of DATABASE_URL may not create roles: make the login ${name} where users of this server are made, or as an ` +
        `administrator by CREATE ROLE ${role} LOGIN PASSWORD '…', and run this again, which lets it read`;
      await must(client, made, mayNot);
    }
    await tried(client, zone);
    for (const schema of schemas) await letRead(client, role, schema);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function letRead(client: Client, role: string, schema: string): Promise<void> {
  if (await tried(client, [`GRANT ${schema}_reader TO ${role}`])) return;
  const { rows } = await client.query<{ views: string }>(
    `SELECT string_agg(oid::regclass::text, ', ') AS views FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind = 'v' AND pg_has_role(relowner, 'USAGE')`,
    [schema],
  );
  const grants = [
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `GRANT SELECT ON ${rows[0]?.views} TO ${role}`,
    // For views that an update creates anew.
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${role}`,
  ];
  const mayNot =
    `the user of DATABASE_URL may grant nobody to read ${schema}: run this as the owner of the tables, or as an administrator ` +
    `run GRANT ${schema}_reader TO ${role}`;
  await must(client, rows[0]?.views ? grants : [], mayNot);
}

async function must(client: Client, statements: readonly string[], refusal: string): Promise<void> {
  if (statements.length === 0 || !(await tried(client, statements))) throw new TerminalError(refusal);
}

/** @returns false where this user may not, or the role is not there; then none of the statements counts */
async function tried(client: Client, statements: readonly string[]): Promise<boolean> {
  await client.query('SAVEPOINT tried');
  try {
    for (const statement of statements) await client.query(statement);
    return true;
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code !== INSUFFICIENT_PRIVILEGE && code !== UNDEFINED_OBJECT) throw error;
    await client.query('ROLLBACK TO SAVEPOINT tried');
    return false;
  }
}
