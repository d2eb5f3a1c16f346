import { type Client, DatabaseError } from 'pg';

import { TerminalError } from '../../model/errors.ts';
import { nextStep } from '../../model/next-step.ts';
import { readStatementText } from './statement-text.ts';

/** The roles that a query of somebody's own may run as. */
export type Reader = 'bi_reader' | 'bi_pii_reader';

/**
 * The second query is the first with its columns cast to the declared types: a server describes a column of a domain as one of
 * the domain's base type, and a function may not return the one for the other. It is run only where they differ, which shows
 * before the first row.
 *
 * A role that was set can be reset, even from inside a SELECT, by `set_config` and functions that run SQL from text. Inside
 * a function that is run with its owner's rights, the server refuses to change the role or the session's user at all. So
 * the query runs inside such a function, which belongs to the reader, and vanishes with the transaction.
 */
const READER_FUNCTION = `
  CREATE FUNCTION pg_temp.order_sync_read(query text, casting text) RETURNS SETOF record
  LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    RETURN QUERY EXECUTE query;
  EXCEPTION WHEN datatype_mismatch THEN
    RETURN QUERY EXECUTE casting;
  END $$`;

const INSUFFICIENT_PRIVILEGE = '42501';
/** A standby takes no function, not even a temporary one. */
const READ_ONLY = '25006';

const STANDBY =
  'DATABASE_URL leads to a read replica, where this command cannot hold a query to what its role may read: that takes a temporary ' +
  'function. Run it on the primary, or query the replica with psql as a login that reads bi alone: see docs/bi.md, "Connect"';

/**
 * Becomes the reader until the transaction ends, and lets it write nothing from then on.
 *
 * @throws TerminalError as `takeRole`, or when the reader may create no function of its own, as on a standby
 */
export async function becomeReader(client: Client, role: Reader): Promise<void> {
  await takeRole(client, role);
  await explain(
    client.query(READER_FUNCTION),
    `${role} may create no temporary objects in this database, which this command needs; as its owner run: ` +
      `GRANT TEMPORARY ON DATABASE name TO ${role}`,
  );
  await client.query('SET TRANSACTION READ ONLY');
}

/** $1: the role; $2: the views */
const READER_STATE = `
  SELECT quote_ident(current_user) AS login, r.oid IS NOT NULL AS "isThere",
    pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = 'ops'), 'USAGE') AS "isOwner",
    pg_has_role(r.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) AS may,
    ARRAY(
      SELECT 'the schema ' || nspname FROM pg_namespace
      WHERE nspname IN ('bi', replace($1, '_reader', '')) AND NOT has_schema_privilege(r.oid, oid, 'USAGE')
      UNION ALL SELECT view FROM unnest($2::text[]) AS view WHERE NOT has_table_privilege(r.oid, to_regclass(view), 'SELECT')
    ) AS unreadable
  FROM (VALUES ($1)) AS wanted(name) LEFT JOIN pg_roles r ON rolname = name`;

type ReaderState = {
  readonly login: string;
  readonly isThere: boolean;
  readonly isOwner: boolean;
  readonly may: boolean;
  readonly unreadable: readonly string[];
};

/**
 * For statements of our own, which do not try to leave the role.
 *
 * @param views that it must be able to read
 * @throws TerminalError when it cannot, or the login may not act as the role: it says why
 */
export async function takeRole(client: Client, role: Reader, views: readonly string[] = []): Promise<void> {
  const { rows } = await client.query<ReaderState>(READER_STATE, [role, views]);
  const refusal = rows[0] && describeState(role, rows[0]);
  if (refusal !== undefined) throw new TerminalError(refusal);
  await client.query(`SET LOCAL ROLE ${role}`);
}

function describeState(role: Reader, { login, isThere, isOwner, may, unreadable }: ReaderState) {
  const migrate = `run ${nextStep('apply migrations')}${isOwner ? '' : ' as the owner of the tables'}`;
  if (!isThere)
    return `the server has no role ${role}: ${migrate}, which creates it or says what an administrator must run`;
  if (!may) {
    const how = isOwner
      ? `${migrate}, which grants it that or says what an administrator must run`
      : `as an administrator run: GRANT ${role} TO ${login}`;
    return `the login ${login} of DATABASE_URL may not act as ${role}; ${how}`;
  }
  if (unreadable.length === 0) return undefined;
  return `${role} may not read ${unreadable.join(', ')}, since a grant is missing; ${migrate}, which grants it`;
}

async function explain(work: Promise<unknown>, refusal: string): Promise<void> {
  try {
    await work;
  } catch (error) {
    const code = error instanceof DatabaseError ? (error.code ?? '') : '';
    if (code === READ_ONLY) throw new TerminalError(STANDBY, { cause: error });
    throw code === INSUFFICIENT_PRIVILEGE ? new TerminalError(refusal, { cause: error }) : error;
  }
}

type DeclaredColumn = {
  /** Unique among them. */
  readonly name: string;
  /** As SQL. */
  readonly type: string;
};

/** A call of the function, to select from. */
export function readerCall(client: Client, query: string, columns: readonly DeclaredColumn[]): string {
  const names = columns.map(({ name }) => client.escapeIdentifier(name));
  const declared = columns.map(({ type }, at) => `${names[at]} ${type}`);
  const cast = columns.map(({ type }, at) => `${names[at]}::${type}`);
  const { statement } = readStatementText(query);
  const casting = `SELECT ${cast.join(', ')} FROM (${statement}) AS query_read(${names.join(', ')})`;
  const given = [query, casting].map((text) => client.escapeLiteral(text)).join(', ');
  return `pg_temp.order_sync_read(${given}) AS row_read(${declared.join(', ')})`;
}
