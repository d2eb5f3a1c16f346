/** Stands between a program and PostgreSQL, and counts the statements that pass. Plain TCP, no TLS. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

import { MessageReader } from '../../test/support/database-messages.ts';

export type StatementCounter = AsyncDisposable & {
  /** The same database by way of the counter. */
  readonly url: string;
  /** Until now, BEGIN and COMMIT included. */
  count(): number;
};

/** Messages that make the server run something: a simple query, and the execution of a parsed one. */
const RUNS = ['Q', 'E'];

export async function startStatementCounter(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let counted = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const reader = new MessageReader('untyped first');
    client.on('data', (chunk) => {
      counted += reader.read(Buffer.from(chunk)).filter(({ type }) => RUNS.includes(type)).length;
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
      // The other side learns of it by its end.
      socket.on('error', () => undefined);
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = typeof address === 'object' && address !== null ? String(address.port) : '';
  return {
    url: url.href,
    count: () => counted,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
