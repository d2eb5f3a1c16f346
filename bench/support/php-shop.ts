/** A shop of so many PHP workers, each of which serves one request at a time: first come, first served, visitors or not. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type PhpShop = AsyncDisposable & {
  readonly url: string;
  /** Requests of the API that were answered until now. */
  answered(): number;
  /** Milliseconds that visitors waited for their pages since this was asked last. */
  visits(): number[];
};

export type PhpWorkers = {
  readonly workers: number;
  /** For one answer. */
  readonly serviceMs: number;
  readonly visitorsPerSecond: number;
};

/** @param origin of the server that knows what to answer */
export async function startPhpShop(
  origin: string,
  { workers, serviceMs, visitorsPerSecond }: PhpWorkers,
): Promise<PhpShop> {
  const waiting: (() => void)[] = [];
  let [busy, answered] = [0, 0];
  let visits: number[] = [];
  const served = async (work: () => Promise<void>) => {
    if (busy >= workers) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy++;
    try {
      await Promise.all([work(), sleep(serviceMs * (0.95 + 0.1 * Math.random()))]);
    } finally {
      const next = waiting.shift();
      if (next === undefined) busy--;
      else next();
    }
  };
  const answer = async (from: IncomingMessage, to: ServerResponse) => {
    const passed = Promise.withResolvers<() => void>();
    await served(async () => passed.resolve(await pass(origin, from, to)));
    answered++;
    (await passed.promise)();
  };
  // A load that is ended breaks off its requests.
  const server = createServer((from, to) => void answer(from, to).catch(() => to.destroy())).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const stop = new AbortController();
  const visit = async () => {
    const began = performance.now();
    await served(async () => undefined);
    visits.push(performance.now() - began);
  };
  const visitors = (async () => {
    while (!stop.signal.aborted) {
      await sleep((-Math.log(1 - Math.random()) * 1000) / visitorsPerSecond);
      void visit();
    }
  })();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: () => answered,
    visits() {
      const seen = visits;
      visits = [];
      return seen;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await visitors;
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @returns what sends the answer on */
async function pass(origin: string, from: IncomingMessage, to: ServerResponse): Promise<() => void> {
  const { method, headers, url } = from;
  const sent = Buffer.concat(await Array.fromAsync(from));
  // On a connection of its own: one that is kept may be closed just then.
  const asked = request(new URL(url ?? '/', origin), { method, headers, agent: false });
  const answered = once(asked, 'response');
  asked.end(sent);
  const [answer] = (await answered) as [IncomingMessage];
  const body = Buffer.concat(await Array.fromAsync(answer));
  return () => to.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
}
