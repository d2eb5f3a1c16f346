import { sql } from 'drizzle-orm';
import { Client, type CustomTypesConfig, type PoolClient, types } from 'pg';

import type { Db } from './database.ts';

const { TIMESTAMPTZ } = types.builtins;

/** A timestamptz is an instant; all else is as `others` parse it. */
function withInstants(others: CustomTypesConfig): CustomTypesConfig {
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ ? (text: string) => Temporal.Instant.from(text) : others.getTypeParser(oid, format);
  return { getTypeParser };
}

export const INSTANTS = withInstants(types);

/** Makes a connection give instants also to Drizzle, which asks for times as text. */
export function giveInstants(client: PoolClient): void {
  const typed = (asked: unknown) => (isTyped(asked) ? { ...asked, types: withInstants(asked.types) } : asked);
  const query = (asked: unknown, ...rest: readonly unknown[]): unknown =>
    Reflect.apply(Client.prototype.query, client, [typed(asked), ...rest]);
  Reflect.set(client, 'query', query);
}

const isTyped = (asked: unknown): asked is { readonly types: CustomTypesConfig } =>
  typeof asked === 'object' && asked !== null && Reflect.get(asked, 'types') !== undefined;

/** What may be undefined in these fields, as a query that names its columns like them has it. */
export type RowOf<Fields> = { [Name in keyof Fields]: Stored<Fields[Name]> };
type Stored<Value> = Value extends undefined ? null : Value;

/** The database's clock is the same for all processes. */
export async function readDatabaseClock(db: Db): Promise<Temporal.Instant> {
  const { rows } = await db.execute<{ now: Temporal.Instant }>(sql`SELECT now() AS now`);
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.now;
}
