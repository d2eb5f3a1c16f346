/** A shop in front of another one: it passes on what is asked, and changes answers as a test tells it. */
import { createShopApi, type ShopApi, type ShopApiOptions } from '../../../src/shop-api/shop-api.ts';
import { type SimulatorOptions, startSimulator } from '../../../src/simulator/server.ts';
import { startScriptedShop } from '../../shop-api/scripted-shop.ts';
import { type Ground, PRESENT } from '../../support/shop.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';

export type Answer = {
  status: number;
  /** Header `Content-Type`. */
  type: string;
  body: Buffer;
};

type Rewrite = (path: string, answer: Answer) => void | Promise<void>;

export type RewritingShop = AsyncDisposable & {
  /** Changes answers from now on; the path is that below `/adm/api/`, with its query. */
  rewrite: Rewrite;
  readonly asked: readonly string[];
  api(options?: Partial<ShopApiOptions>): ShopApi;
};

const PREFIX = '/adm/api/';

/** @param origin the shop behind it */
export async function startRewritingShop(origin: string): Promise<RewritingShop> {
  const asked: string[] = [];
  const front = await startScriptedShop(async (response, _index, { url, headers }) => {
    const { authorization = '' } = headers;
    const given = await fetch(origin + url, {
      headers: { authorization, 'content-type': 'application/json' },
    });
    const answer: Answer = {
      status: given.status,
      type: given.headers.get('content-type') ?? '',
      body: Buffer.from(await given.arrayBuffer()),
    };
    const path = url.slice(PREFIX.length);
    asked.push(path);
    await shop.rewrite(path, answer);
    response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body);
  });
  const shop: RewritingShop = {
    rewrite: () => undefined,
    asked,
    api: (options = {}) =>
      createShopApi({
        baseUrl: front.url,
        login: 'admin',
        apiKey: 'simulated-key',
        maxConcurrency: 8,
        maxRps: 100_000,
        retry: { firstPauseMs: 1, maxPauseMs: 5 },
        budget: { maxWaitMs: 5 },
        circuit: { firstProbeMs: 5, maxProbeMs: 20 },
        ...options,
      }),
    [Symbol.asyncDispose]: () => front[Symbol.asyncDispose](),
  };
  return shop;
}

/** Answers JSON in the place of what was answered. */
export function answerJson(answer: Answer, value: unknown, status = 200): void {
  Object.assign(answer, {
    status,
    type: 'application/json',
    body: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  });
}

/** A simulated shop behind a rewriting one, by which sweeps read it, and a warehouse that holds nothing of it yet. */
export type FrontedGround = Ground & { readonly front: RewritingShop };

/** @param options `now` is `PRESENT` unless given; the sweeps' time begins with `PRESENT` */
export async function withFrontedShop(
  options: SimulatorOptions,
  work: (ground: FrontedGround) => Promise<void>,
): Promise<void> {
  await using simulator = await startSimulator({ now: PRESENT, ...options });
  await using front = await startRewritingShop(simulator.url);
  await inWarehouse(async (opened) => {
    const clock = testClock(PRESENT);
    const means = { now: clock.now, through: () => withoutGroups(front.api()) };
    const sweep: Ground['sweep'] = (request, settings, more) =>
      sweepOnce(simulator, opened.db, request, settings, { ...means, ...more });
    await work({ ...opened, simulator, front, clock, means, sweep });
  });
}
