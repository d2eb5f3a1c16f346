/** Servers of tests, on free ports of this machine. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export type Listening = AsyncDisposable & { readonly port: number; readonly url: string };

/** Lets a server of TCP or HTTP listen until it is disposed of, together with its connections. */
export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A port at which nothing listens any more. */
export async function freePort(): Promise<number> {
  await using listening = await listen(createServer());
  return listening.port;
}
