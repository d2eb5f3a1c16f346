/** A way station in front of a simulated shop, where chosen requests meet with what goes wrong on real networks. */
import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Answer, answerBytes, askShop, meetRequests } from './fault-proxy-http.ts';

/** One request, and the means to treat it badly. */
type Turn = {
  /** The connection that it came by. */
  readonly socket: Socket;
  /** Asks the shop, and gives its true answer. */
  readonly answer: () => Promise<Answer>;
  /** Nothing listens for this long, and every connection is cut. */
  readonly closePortFor: (ms: number) => void;
};

export type Act = (turn: Turn) => void | Promise<void>;

export type Plan = {
  /** Of the path and query of the requests that are meant. */
  readonly path: RegExp;
  readonly act: Act;
  /** How many requests meet with it. @default 1 */
  readonly times?: number;
  /** How many pass unharmed before. @default 0 */
  readonly skip?: number;
};

export type FaultProxy = AsyncDisposable & {
  /** The shop by way of the proxy. */
  readonly url: string;
  /** How many requests met with a fault so far. */
  readonly acted: number;
  /** Adds a plan; of several that fit a request, the earliest that is not used up counts. */
  plan(plan: Plan): void;
  /** Lets all requests pass from now on. */
  heal(): void;
  /** How many requests of such a path came so far, whatever became of them. */
  count(path: RegExp): number;
  /** Stops listening and cuts every connection, until `openPort`. */
  closePort(): void;
  openPort(): Promise<void>;
};

export const LISTS = /^\/adm\/api\/orders(\?|$)/;
export const CONTENTS = /^\/adm\/api\/orders\/\d+$/;
export const USERS = /^\/adm\/api\/users\//;

const PORT_TRIES = 20;
const PORT_PAUSE_MS = 50;

type Pending = Required<Omit<Plan, 'times'>> & { times: number; skipped: number; met: number };

/** Starts a proxy in front of the shop at a URL. Disposing it cuts every connection. */
export async function startFaultProxy(shopUrl: string): Promise<FaultProxy> {
  const plans: Pending[] = [];
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that gives up resets its connection; that it is gone is told by 'close'.
    socket.on('error', () => undefined);
    meetRequests(socket, async (request) => {
      targets.push(request.target);
      const answer = () => askShop(shopUrl, request, agent);
      const plan = planFor(plans, request.target);
      if (plan === undefined) return void socket.write(answerBytes(await answer()));
      plan.met += 1;
      return plan.act({ socket, answer, closePortFor });
    });
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const closePort = () => {
    if (server.listening) server.close();
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const state = { isOver: false };
  const openPort = async () => {
    // While it was closed, a connection of another process may have been given its port for a moment.
    for (let tries = 1; !server.listening && !state.isOver; tries += 1) {
      try {
        await listen(port);
      } catch (error) {
        if (tries === PORT_TRIES) throw error;
        await sleep(PORT_PAUSE_MS);
      }
    }
  };
  const closePortFor = (ms: number) => {
    closePort();
    if (Number.isFinite(ms)) void sleep(ms, undefined, { ref: false }).then(openPort);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    get acted() {
      return plans.reduce((sum, { met }) => sum + met, 0);
    },
    plan: ({ path, act, times = 1, skip = 0 }) =>
      void plans.push({ path, act, times, skip, skipped: 0, met: 0 }),
    heal() {
      for (const plan of plans) plan.times = plan.met;
    },
    count: (path) => targets.filter((target) => path.test(target)).length,
    closePort,
    openPort,
    async [Symbol.asyncDispose]() {
      state.isOver = true;
      closePort();
      agent.destroy();
    },
  };
}

function planFor(plans: readonly Pending[], target: string): Pending | undefined {
  const fitting = plans.find((plan) => plan.met < plan.times && plan.path.test(target));
  if (fitting === undefined || fitting.skipped === fitting.skip) return fitting;
  fitting.skipped += 1;
  return undefined;
}
