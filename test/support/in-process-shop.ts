/** Simulated shops without sockets, which makes a request several times cheaper. */

import { unlessAborted } from '../../src/http/clock.ts';
import type { ConnectionPool } from '../../src/http/connection-pool.ts';
import { makeSimulator, type Simulator, type SimulatorOptions } from '../../src/simulator/server.ts';

/** An answer on its way to the client. */
export type Answer = {
  status: number;
  /** Header `Content-Type`. */
  type: string;
  body: Buffer;
};

type Front = {
  /** Changes answers from now on; the path is that below `/adm/api/`, with its query. */
  rewrite?: ((path: string, answer: Answer) => void | Promise<void>) | undefined;
  /** The paths that were asked for. */
  readonly asked: string[];
};

export type InProcessShop = Simulator & { readonly front: Front };

type Served = { readonly answer: (request: Request) => Promise<Response>; readonly front: Front };

const PREFIX = '/adm/api/';
const shops = new Map<string, Served>();
let made = 0;

/**
 * A shop at an address that only `poolTo` knows. It has no connections that could break: faults of that kind are
 * for `startSimulator`.
 */
export function makeShopInProcess(options: SimulatorOptions): InProcessShop {
  const { app, ...simulator } = makeSimulator(options);
  made += 1;
  const host = `shop-${made}.test`;
  const front: Front = { asked: [] };
  const answer = async (request: Request) => {
    const ends: (() => void)[] = [];
    const outgoing = { once: (_event: string, end: () => void) => ends.push(end) };
    try {
      return await app.fetch(request, { outgoing });
    } finally {
      for (const end of ends) end();
    }
  };
  shops.set(host, { answer, front });
  const close = async () => {
    shops.delete(host);
    await Promise.resolve();
  };
  return { ...simulator, front, url: `http://${host}`, close, [Symbol.asyncDispose]: close };
}

/** What carries requests to a shop of this process; undefined where the address is not that of one. */
export function poolTo(url: string): ConnectionPool | undefined {
  const { host, origin } = new URL(url);
  const served = shops.get(host);
  if (served === undefined) return undefined;
  return {
    async send({ method, path, headers, body }, signal) {
      // Nothing is saved by packing what does not travel.
      const asked = new Headers(headers);
      asked.set('accept-encoding', 'identity');
      const request = { method, headers: asked, body: body ?? null, signal: signal ?? null };
      const response = await served.answer(new Request(origin + path, request));
      return unlessAborted(rewritten(served.front, path.slice(PREFIX.length), response), signal);
    },
  };
}

async function rewritten(front: Front, path: string, response: Response) {
  const { headers, status } = response;
  const type = headers.get('content-type') ?? '';
  const answer: Answer = { status, type, body: Buffer.from(await response.arrayBuffer()) };
  front.asked.push(path);
  await front.rewrite?.(path, answer);
  const told = new Headers(headers);
  told.set('content-type', answer.type);
  return { status: answer.status, headers: told, bytes: new Uint8Array(answer.body) };
}

/** Answers JSON in the place of what was answered. */
export function answerJson(answer: Answer, value: unknown, status = 200): void {
  Object.assign(answer, {
    status,
    type: 'application/json',
    body: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  });
}
