/** A PostgreSQL for a benchmark: that of TEST_DATABASE_URL, a container, or the embedded one, with an empty database. */
import { randomBytes } from 'node:crypto';

import { withClient, inDatabase } from '../../test/support/database-clients.ts';
import { openTestServer } from '../../test/support/database-server.ts';

export type BenchServer = AsyncDisposable & {
  readonly name: string;
  emptyDatabase(): Promise<AsyncDisposable & { readonly url: string }>;
};

export async function openBenchServer(): Promise<BenchServer> {
  const server = await openTestServer((line) => console.log(line));
  return {
    name: server.name,
    async emptyDatabase() {
      const name = `order_sync_bench_${randomBytes(4).toString('hex')}`;
      await withClient(server.url, (client) => client.query(`CREATE DATABASE ${name}`));
      const drop = async () => {
        await withClient(server.url, (client) =>
          client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
        );
      };
      return { url: inDatabase(server.url, name), [Symbol.asyncDispose]: drop };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
