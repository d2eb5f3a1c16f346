import type { Client } from 'pg';

import { TerminalError } from '../../model/errors.ts';
import { nextStep } from '../../model/next-step.ts';

/** The roles that a query of somebody's own may run as. */
export type Reader = 'bi_reader' | 'bi_pii_reader';

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
 * Acts as the role until the transaction ends.
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
