/** A scripted shop in simulated time, which tells when each request arrived. */
import type { ServerResponse } from 'node:http';

import type { ShopApi, ShopApiOptions } from '../../src/shop-api/shop-api.ts';
import { apiOf } from './api-of.ts';
import { ONE_ORDER, type Received, type ScriptedShop, startScriptedShop } from './scripted-shop.ts';
import { type SimulatedClock, simulatedClock } from './simulated-clock.ts';

export type TimedShop = ScriptedShop & {
  readonly clock: SimulatedClock;
  readonly arrivals: readonly { readonly url: string; readonly atMs: number }[];
  /** When requests arrived whose address ends so, in milliseconds. */
  at(path: string): readonly number[];
  /** A client in the time of the shop. */
  open(options?: Partial<ShopApiOptions>): ShopApi;
  /** Runs actors side by side until all are done; time passes when all of them sleep. */
  run(...actors: readonly (() => Promise<unknown>)[]): Promise<void>;
};

/** How a shop answers a request that arrived at `nowMs`. */
export type Act = (
  response: ServerResponse,
  request: Received,
  nowMs: number,
  clock: SimulatedClock,
) => unknown;

export async function startTimedShop(act: Act): Promise<TimedShop> {
  const clock = simulatedClock();
  const arrivals: { readonly url: string; readonly atMs: number }[] = [];
  const shop = await startScriptedShop(async (response, _index, request) => {
    arrivals.push({ url: request.url, atMs: clock.nowMs() });
    await act(response, request, clock.nowMs(), clock);
  });
  const at = (path: string) => arrivals.filter(({ url }) => url.endsWith(path)).map(({ atMs }) => atMs);
  return {
    ...shop,
    clock,
    arrivals,
    at,
    open: (options) => apiOf(shop, { clock, ...options }),
    run: (...actors) => clock.run(actors.map((actor) => async () => void (await actor()))),
  };
}

/** Whether a request is for the list of orders. */
export const isList = ({ url }: Pick<Received, 'url'>) =>
  url.startsWith('/adm/api/orders?') || url === '/adm/api/orders';

/** Answers with one order, or with the content of one. */
export function answer(response: ServerResponse, request: Received): void {
  response.end(isList(request) ? ONE_ORDER : '{"success":1,"ordercontent":[]}');
}

export function fail(response: ServerResponse, status = 502, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end('{"message":"away"}');
}
