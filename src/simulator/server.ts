/** The documented shop API as a local server, for the demo, the tests and the bench. */
import { once } from 'node:events';

import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';

import { makeAdmin } from './api/admin.ts';
import type { ApiDeps } from './api/answer.ts';
import { makeApi } from './api/routes.ts';
import { type Dialect, PLAIN } from './shop/dialect.ts';
import { Faults } from './api/simulated-faults.ts';
import { RequestLog } from './api/request-log.ts';
import { RowWriter } from './api/wire-order.ts';
import { RequestChance } from './shop/random.ts';
import { SimulatedShop } from './shop/simulated-shop.ts';

export type SimulatorOptions = {
  /** @default 3000 */
  readonly orders?: number;
  /** Orders are spread over this many days up to `now`. @default 180 */
  readonly days?: number;
  /** @default 1 */
  readonly seed?: number;
  /** The shop's time; no order is later at the start. It stands still until `tick` advances it. @default the real time, which advances */
  readonly now?: Temporal.Instant;
  /**
   * When this shop was first started: it holds the orders of that moment and, where it is live, what all ticks since have
   * changed. Other changes are not repeated. @default the start
   */
  readonly since?: Temporal.Instant;
  /** Places orders and advances statuses at this interval. @default never */
  readonly tickEveryMs?: number;
  /** IANA zone of the shop's times. @default 'Europe/Berlin' */
  readonly timezone?: string;
  /** Added to every response. @default 0 */
  readonly latencyMs?: number;
  /** Cuts longer pages silently. @default none */
  readonly pageCap?: number;
  /** @default PLAIN */
  readonly dialect?: Partial<Dialect>;
  /** Of the login `admin`. @default 'simulated-key' */
  readonly apiKey?: string;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 is any free port. @default 0 */
  readonly port?: number;
  /** Handles requests between shop and client, as a cache does. @default nothing */
  readonly between?: MiddlewareHandler;
  /** Serves `/_sim/`, which lets other processes change the shop. @default false */
  readonly admin?: boolean;
};

export type Simulator = AsyncDisposable & {
  /** The API is at `url` + `/adm/api/`. */
  readonly url: string;
  readonly shop: SimulatedShop;
  readonly faults: Faults;
  readonly requests: RequestLog;
  /** What pages are cut to from the next request on. */
  readonly pages: ApiDeps['pages'];
  /** Closes every connection, hanging ones too. */
  close(): Promise<void>;
};

/** Of a page's rows, where the dialect ends pages by bytes. */
const PAGE_BYTES = 16_384;

/**
 * Makes the shop, which is not served yet. The same options give the same shop.
 *
 * @throws RangeError for an invalid option
 */
export function makeSimulator(options: SimulatorOptions = {}) {
  const { orders = 3000, days = 180, seed = 1, timezone = 'Europe/Berlin', latencyMs = 0 } = options;
  const { apiKey = 'simulated-key', between, pageCap: cap } = options;
  const now = options.since ?? options.now ?? Temporal.Now.instant();
  const dialect = { ...PLAIN, ...options.dialect };
  // The time of a live shop is that of its latest tick.
  const standsStill = options.now !== undefined || options.tickEveryMs !== undefined;
  const clock = standsStill ? () => now : () => Temporal.Now.instant();
  const shop = new SimulatedShop({ orders, days, seed, timezone, now, dialect }, clock);
  const [faults, requests, chance] = [new Faults(), new RequestLog(), new RequestChance(seed)];
  const pages = { cap, bytes: PAGE_BYTES };
  const writer = new RowWriter(shop);
  const deps: ApiDeps = { shop, writer, faults, requests, between, apiKey, latencyMs, pages, chance };
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.route('/adm/api', makeApi(deps));
  if (options.admin === true) {
    app.get('/_sim/', (context) => context.redirect('/_sim'));
    app.route('/_sim', makeAdmin(deps));
  }
  return { app, shop, faults, pages, requests };
}

/**
 * Makes the shop and serves it.
 *
 * @throws RangeError for an invalid option, and the system's error when the port is in use
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { app, ...simulator } = makeSimulator(options);
  const server = await listen(app, options.host ?? '127.0.0.1', options.port ?? 0);
  const stopTicks = startTicks(simulator.shop, options.tickEveryMs);
  const close = async () => {
    stopTicks();
    await server.close();
  };
  return { ...simulator, url: server.url, close, [Symbol.asyncDispose]: close };
}

/** Makes the shop change by itself until the returned function is called; does not keep the process alive. */
function startTicks(shop: SimulatedShop, everyMs: number | undefined): () => void {
  if (everyMs === undefined) return () => {};
  shop.catchUp(everyMs, Temporal.Now.instant());
  const timer = setInterval(() => shop.catchUp(everyMs, Temporal.Now.instant()), everyMs).unref();
  return () => clearInterval(timer);
}

/**
 * @returns its address, and what closes every connection, hanging ones too; idempotent
 * @throws the system's error when the address is not available, such as `EADDRINUSE`
 */
async function listen(app: Hono<{ Bindings: HttpBindings }>, host: string, port: number) {
  // The client under test may run in this process: leave the global Request and Response alone.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  };
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`, close };
}
