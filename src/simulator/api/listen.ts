/** Opening and closing the port. */
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';

export type Listening = {
  readonly url: string;
  /** Closes every connection, hanging ones too; idempotent. */
  readonly close: () => Promise<void>;
};

/** @throws the system's error when the address is not available, such as `EADDRINUSE` */
export async function listen(
  app: Hono<{ Bindings: HttpBindings }>,
  host: string,
  port: number,
): Promise<Listening> {
  // The client under test may run in this process: leave the global Request and Response alone.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  };
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`, close };
}
