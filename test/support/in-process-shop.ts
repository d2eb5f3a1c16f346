/** Simulated shops without sockets, which makes a request several times cheaper. */

import type { ConnectionPool } from '../../src/http/connection-pool.ts';
import { makeSimulator, type Simulator, type SimulatorOptions } from '../../src/simulator/server.ts';

const shops = new Map<string, (request: Request) => Promise<Response>>();
let made = 0;

/**
 * A shop at an address that only `poolTo` knows. It has no connections that could break: faults of that kind are
 * for `startSimulator`.
 */
export function makeShopInProcess(options: SimulatorOptions): Simulator {
  const { app, ...simulator } = makeSimulator(options);
  made += 1;
  const host = `shop-${made}.test`;
  shops.set(host, async (request) => {
    const ends: (() => void)[] = [];
    const outgoing = { once: (_event: string, end: () => void) => ends.push(end) };
    try {
      return await app.fetch(request, { outgoing });
    } finally {
      for (const end of ends) end();
    }
  });
  const close = async () => {
    shops.delete(host);
    await Promise.resolve();
  };
  return { ...simulator, url: `http://${host}`, close, [Symbol.asyncDispose]: close };
}

/** What carries requests to a shop of this process; undefined where the address is not that of one. */
export function poolTo(url: string): ConnectionPool | undefined {
  const { host, origin } = new URL(url);
  const shop = shops.get(host);
  if (shop === undefined) return undefined;
  return {
    async send({ method, path, headers, body }, signal) {
      // Nothing is saved by packing what does not travel.
      const asked = new Headers(headers);
      asked.set('accept-encoding', 'identity');
      const request = { method, headers: asked, body: body ?? null, signal: signal ?? null };
      const response = await shop(new Request(origin + path, request));
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, bytes };
    },
  };
}
