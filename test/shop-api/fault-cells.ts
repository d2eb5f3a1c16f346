/** One cell of the fault matrix: a request that meets with a fault, once or again and again, and what came of it. */
import { isDeepStrictEqual } from 'node:util';

import type { ShopApi, ShopApiOptions } from '../../src/shop-api/shop-api.ts';
import type { Fault } from '../support/fault-proxy-list.ts';
import { CONTENTS, type FaultProxy, LISTS, startFaultProxy } from '../support/fault-proxy.ts';
import { apiOf } from './api-of.ts';

export const API_KEY = 'simulated-key';
export const TIMEOUT_MS = 1_000;
/** Tries that a client makes of a fault that stays; fewer where each waits for a second and more. */
export const triesOf = ({ pauseMs }: Fault) => (pauseMs === undefined ? 3 : 2);
const SOON_MS = 1;

type Route = 'list' | 'content';
export type Cell = { readonly fault: Fault; readonly route: Route; readonly lasts: 'once' | 'for ever' };

export type Outcome = {
  readonly tries: number;
  /** How many of the tries met with the fault. */
  readonly acted: number;
  readonly elapsedMs: number;
  readonly error: Error | undefined;
  readonly isRight: boolean;
  /** Whether the same client's next requests, after all is well again, were answered right. */
  readonly isNextRight: boolean;
};

export const nameOf = ({ fault, route, lasts }: Cell) => `${fault.name}, ${lasts}, ${route}`;

const PATHS: Readonly<Record<Route, RegExp>> = { list: LISTS, content: CONTENTS };

/** What every cell asks for, and what the shop itself answers. */
export type Question = {
  readonly shopUrl: string;
  readonly orderId: string;
  readonly truth: Readonly<Record<Route, unknown>>;
};

export async function questionTo(shopUrl: string, orderId: string): Promise<Question> {
  const api = apiOf({ url: shopUrl });
  const truth = { list: await askFor(api, 'list', orderId), content: await askFor(api, 'content', orderId) };
  return { shopUrl, orderId, truth };
}

function askFor(api: ShopApi, route: Route, orderId: string): Promise<unknown> {
  return route === 'list' ? api.listOrders({}) : api.orderContent(orderId);
}

export async function tryCell({ shopUrl, orderId, truth }: Question, cell: Cell): Promise<Outcome> {
  await using proxy = await startFaultProxy(shopUrl);
  const { fault, route, lasts } = cell;
  const api = apiOf(proxy, optionsOf(cell));
  // A connection that is kept alive stands ready for the request that the fault is meant for.
  await askFor(api, otherOf(route), orderId);
  using _fault = begin(proxy, api, cell);
  const began = performance.now();
  const answer = await askFor(api, route, orderId).catch((error: unknown) => error);
  const elapsedMs = performance.now() - began;
  const figures = { tries: api.counts[ROUTES[route]], acted: actedOf(proxy, api, cell), elapsedMs };
  proxy.heal();
  await proxy.openPort();
  const isNextRight =
    fault.kind !== 'unavailable' &&
    lasts === 'once' &&
    isDeepStrictEqual(await askFor(api, otherOf(route), orderId), truth[otherOf(route)]) &&
    isDeepStrictEqual(await askFor(api, route, orderId), truth[route]);
  const error = answer instanceof Error ? answer : undefined;
  return { ...figures, error, isRight: isDeepStrictEqual(answer, truth[route]), isNextRight };
}

const ROUTES = { list: 'orders', content: 'content' } as const;
const otherOf = (route: Route): Route => (route === 'list' ? 'content' : 'list');

function optionsOf({ fault, lasts }: Cell): Partial<ShopApiOptions> {
  // The port is opened when a second try is seen, which takes a moment.
  const quick = fault.closesPort
    ? { firstPauseMs: 40, maxPauseMs: 80 }
    : { firstPauseMs: 1, maxPauseMs: 2, maxRefusals: 0 };
  const retry = lasts === 'once' ? quick : { ...quick, maxAttempts: triesOf(fault) };
  return fault.isEndless ? { timeoutMs: TIMEOUT_MS, retry } : { retry };
}

function begin(proxy: FaultProxy, api: ShopApi, { fault, route, lasts }: Cell): Disposable {
  const times = lasts === 'once' ? 1 : Infinity;
  if (!fault.closesPort) {
    proxy.plan({ path: PATHS[route], act: fault.act, times });
    return { [Symbol.dispose]: () => undefined };
  }
  proxy.closePort();
  const timer = setInterval(() => {
    if (lasts === 'once' && api.counts.retries > 0) void proxy.openPort();
  }, SOON_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** A closed port sees no request: each try that it did not see met with it. */
function actedOf(proxy: FaultProxy, api: ShopApi, { fault, route }: Cell): number {
  return fault.closesPort ? api.counts[ROUTES[route]] - proxy.count(PATHS[route]) : proxy.acted;
}
