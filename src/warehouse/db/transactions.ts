import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Client, type CustomTypesConfig, type Pool, type PoolClient, types } from 'pg';

import { parseJson } from '../../model/json.ts';
import { restoreText } from './pg-json.ts';

/**
 * The database of a pool. Drizzle itself never gives a connection back that breaks while its transaction begins, and the pool
 * would be one smaller from then on.
 */
export function drizzlePool(pool: Pool): NodePgDatabase {
  const transaction: NodePgDatabase['transaction'] = async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client).transaction(work, config);
    } finally {
      client.release();
    }
  };
  return Object.assign(drizzle(pool), { transaction });
}

const PARSERS = new Map<number, (text: string) => unknown>([
  [types.builtins.TIMESTAMPTZ, (text) => Temporal.Instant.from(text)],
  [types.builtins.TIMESTAMP, (text) => Temporal.PlainDateTime.from(text)],
  [types.builtins.JSONB, (text) => parseJson(restoreText(text))],
]);

/** A timestamptz is an instant, a timestamp a local time, and a jsonb keeps all digits; all else is as `others` parse it. */
function withTypes(others: CustomTypesConfig): CustomTypesConfig {
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? others.getTypeParser(oid, format);
  return { getTypeParser };
}

export const TYPES = withTypes(types);

/** Makes a connection give these also to Drizzle, which asks for times as text. */
export function giveTypes(client: PoolClient): void {
  const typed = (asked: unknown) => (isTyped(asked) ? { ...asked, types: withTypes(asked.types) } : asked);
  const query = (asked: unknown, ...rest: readonly unknown[]): unknown =>
    // oxlint-disable-next-line typescript/unbound-method -- it is applied to the connection
    Reflect.apply(Client.prototype.query, client, [typed(asked), ...rest]);
  Reflect.set(client, 'query', query);
}

const isTyped = (asked: unknown): asked is { readonly types: CustomTypesConfig } =>
  typeof asked === 'object' && asked !== null && Reflect.get(asked, 'types') !== undefined;
