/** A way station in front of a server, whose connections can go silent as those that a firewall forgot. */
import { connect, createServer, type Socket } from 'node:net';

import { listen } from './listen.ts';

export type SilentProxy = AsyncDisposable & {
  /** The same database by way of the proxy. */
  readonly url: string;
  /** On the connections it has nothing passes any more, in either direction, and nobody closes them; new ones work. */
  silence(): void;
  /** Takes no new connections. */
  close(): void;
  /** Connections that were opened through it. */
  opened(): number;
};

/** Starts a proxy in front of the database of a URL. */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const url = new URL(databaseUrl);
  const target = { port: Number(url.port || 5432), host: url.hostname };
  const [live, all] = [new Set<readonly [Socket, Socket]>(), new Set<Socket>()];
  let opened = 0;
  const server = createServer((client) => {
    opened += 1;
    const pair = [client, connect(target)] as const;
    live.add(pair);
    for (const [from, to] of [pair, pair.toReversed()] as const) {
      if (from === undefined || to === undefined) continue;
      all.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => live.has(pair) && to.write(chunk));
      from.on('close', () => live.has(pair) && to.destroy());
      from.on('error', () => undefined);
    }
  });
  const listening = await listen(server);
  [url.hostname, url.port] = ['127.0.0.1', String(listening.port)];
  return {
    url: url.href,
    silence: () => live.clear(),
    close: () => void server.close(),
    opened: () => opened,
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy();
      if (server.listening) await listening[Symbol.asyncDispose]();
    },
  };
}
