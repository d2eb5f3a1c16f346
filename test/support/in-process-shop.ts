/** Simulated shops without sockets: `fetch` itself reaches them, which makes a request several times cheaper. */

import { makeSimulator, type Simulator, type SimulatorOptions } from '../../src/simulator/server.ts';

const shops = new Map<string, (request: Request) => Promise<Response>>();
let made = 0;

/**
 * A shop at an address that only `fetch` of this process knows, once `reachShopsByFetch` was called. It has no
 * connections that could break: faults of that kind are for `startSimulator`.
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

/** Puts a `fetch` in the place of the platform's that reaches the shops of this process. @returns puts it back */
export function reachShopsByFetch(): () => void {
  const platformFetch = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const shop = shops.get(new URL(request.url).host);
    return shop === undefined ? platformFetch(request) : shop(request);
  };
  return () => {
    globalThis.fetch = platformFetch;
  };
}
