import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Client, type CustomTypesConfig, type Pool, type PoolClient, types } from 'pg';

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

const TIMESTAMPTZ: number = types.builtins.TIMESTAMPTZ;

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
    // oxlint-disable-next-line typescript/unbound-method -- it is applied to the connection
    Reflect.apply(Client.prototype.query, client, [typed(asked), ...rest]);
  Reflect.set(client, 'query', query);
}

const isTyped = (asked: unknown): asked is { readonly types: CustomTypesConfig } =>
  typeof asked === 'object' && asked !== null && Reflect.get(asked, 'types') !== undefined;
