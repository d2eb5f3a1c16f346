import type { Client } from 'pg';

import { TIMEZONE } from './demo-warehouse.ts';

export type Answer = {
  readonly fields: readonly { readonly name: string; readonly type: number }[];
  /** Every value as PostgreSQL writes it. */
  readonly rows: readonly (readonly (string | null)[])[];
};

/**
 * Asks as the login `bi` would: the role alone, reading only, in the shop's time zone unless told otherwise, and not for long.
 *
 * @throws DatabaseError for a query that this role may not ask or that takes more than a minute
 */
export async function askAs(
  client: Client,
  role: string,
  query: string,
  timezone = TIMEZONE,
): Promise<Answer> {
  await client.query(`BEGIN READ ONLY; SET LOCAL ROLE ${role}; SET LOCAL statement_timeout = '60s';
    SET LOCAL timezone = '${timezone}'`);
  try {
    const text = { getTypeParser: () => (value: string) => value };
    const { fields, rows } = await client.query<(string | null)[]>({
      text: query,
      rowMode: 'array',
      types: text,
    });
    return { fields: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })), rows };
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Does work in a transaction, and takes back what it changed, whether it failed or not. */
export async function inRollback<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN');
  try {
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Who may read a view: those of `bi_pii` have a role of their own. */
export const readerOf = (view: string) => (view.startsWith('bi_pii.') ? 'bi_pii_reader' : 'bi_reader');
