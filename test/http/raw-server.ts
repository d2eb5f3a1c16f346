import { createServer } from 'node:net';

import { listen, type Listening } from '../support/listen.ts';

/** A server that speaks with bytes of its own instead of HTTP. */
export async function startRawServer(bytes: string): Promise<Listening> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes, 'latin1'));
  });
  return listen(server);
}
