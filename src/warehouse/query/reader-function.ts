import { type Client, DatabaseError } from 'pg';

import { TerminalError } from '../../errors.ts';

/** The roles that a query of somebody's own may run as. */
export type Reader = 'bi_reader' | 'bi_pii_reader';

/**
 * A role that was set can be reset, even from inside a SELECT, by `set_config` and functions that run SQL from text. Inside
 * a function that is run with its owner's rights, the server refuses to change the role or the session's user at all. So
 * the query runs inside such a function, which belongs to the reader, and vanishes with the transaction.
 */
const READER_FUNCTION = `
  CREATE FUNCTION pg_temp.order_sync_read(query text) RETURNS SETOF record
  LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN RETURN QUERY EXECUTE query; END $$`;

/** SQLSTATE of what the login, or the role, may not do, and of a role that does not exist. */
const REFUSALS = ['42501', '22023'];

/**
 * Becomes the reader until the transaction ends, and lets it write nothing from then on.
 *
 * @throws TerminalError when the login may not act as the reader, or the reader may create no function of its own
 */
export async function becomeReader(client: Client, role: Reader): Promise<void> {
  await explain(
    client.query(`SET LOCAL ROLE ${role}`),
    `the login of DATABASE_URL may not act as ${role}; as an administrator run: GRANT ${role} TO that login`,
  );
  await explain(
    client.query(READER_FUNCTION),
    `${role} may create no temporary objects in this database, which this command needs; as its owner run: ` +
      `GRANT TEMPORARY ON DATABASE name TO ${role}`,
  );
  await client.query('SET TRANSACTION READ ONLY');
}

async function explain(work: Promise<unknown>, refusal: string): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isRefused = error instanceof DatabaseError && REFUSALS.includes(error.code ?? '');
    throw isRefused ? new TerminalError(refusal, { cause: error }) : error;
  }
}

/** A call of the function, to select from. @param columns name and type of each, as SQL */
export function readerCall(client: Client, query: string, columns: readonly string[]): string {
  return `pg_temp.order_sync_read(${client.escapeLiteral(query)}) AS row_read(${columns.join(', ')})`;
}
