import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { TerminalError, UnavailableError } from '../../../../src/model/errors.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import { readMemory } from '../../../../src/sync/run/shop-state.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { readShopState } from '../../../../src/warehouse/ops/stored-shop-state.ts';
import { openShop } from '../../../support/shop.ts';
import { testedShopId, withoutGroups } from '../../../support/sweep.ts';

const NOW = Temporal.Instant.from('2026-03-15T10:30:20Z');

const SHOP = { orders: 60, days: 20, now: NOW };
/** A client that finds out soon, and waits so long for an outage to end. */
const hasty = (maxOutageMs: number) => ({
  through: (api: ShopApi) => api,
  client: { maxConcurrency: 4, circuit: { firstProbeMs: 20, maxProbeMs: 50 }, maxOutageMs },
});

type Outage = {
  readonly retryAfter?: number;
  /** Called as the outage begins. */
  readonly onBegin?: () => void;
};

/** From the so many-th content request on, the shop is not to be had. */
function failAfter(simulator: Simulator, contents: number, { retryAfter, onBegin }: Outage = {}): void {
  const off = simulator.requests.onRequest(({ route }) => {
    if (route !== 'order' || simulator.requests.count('order') < contents) return;
    off();
    simulator.faults.failNext(Infinity, retryAfter === undefined ? 'http-502' : 'http-503-html', {
      ...(retryAfter !== undefined && { retryAfter }),
    });
    onBegin?.();
  });
}

/** Ends the outage when the client has asked in vain so many times whether it is over. */
function endAtProbe(simulator: Simulator, probes: number): void {
  let seen = 0;
  const off = simulator.requests.onRequest(({ route, query }) => {
    if (route !== 'orders' || query['limit'] !== '1' || ++seen < probes) return;
    off();
    simulator.faults.clear();
  });
}

async function stateOf(client: Client) {
  const runs = await client.query<{ status: string; error: string | null }>(
    'SELECT status, error FROM tested.runs ORDER BY run_id DESC LIMIT 1',
  );
  const failed = await client.query(`SELECT 1 FROM tested.orders WHERE lines_state = 'failed'`);
  return { run: runs.rows[0], failedLines: failed.rowCount };
}

test('an outage ends the sweep and marks no order, and the next sweep continues', async () => {
  const { client, differences, simulator, ...ground } = await openShop(SHOP);
  const sweep = (request?: SweepRequest, settings = {}) => ground.sweep(request, settings, hasty(300));
  failAfter(simulator, 20);
  const error = await sweep().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UnavailableError);
  const { run, failedLines } = await stateOf(client);
  expect(run).toMatchObject({ status: 'failed' });
  expect(run?.error).toMatch(/has not answered for .*HTTP 502/);
  expect(failedLines).toBe(0);
  expect(simulator.requests.count()).toBeLessThan(120);
  simulator.faults.clear();
  expect(await sweep()).toMatchObject({ status: 'ok' });
  expect(await differences()).toEqual([]);
});

test('a sweep waits for a short outage to end, and completes', async () => {
  const { differences, simulator, ...ground } = await openShop(SHOP);
  failAfter(simulator, 20, { onBegin: () => endAtProbe(simulator, 5) });
  let asking: ShopApi | undefined;
  const through = (api: ShopApi) => (asking = api);
  const result = await ground.sweep({ kind: 'backfill' }, {}, { ...hasty(60_000), through });
  expect(result).toMatchObject({ status: 'ok', throttle: { circuit: 'closed', max_concurrency: 4 } });
  expect(asking?.health.probes).toBeGreaterThan(1);
  expect(await differences()).toEqual([]);
});

test('a scheduled sweep does not wait for a shop longer than its time budget', async () => {
  const { client, clock, simulator, ...ground } = await openShop(SHOP);
  const sweep = (request?: SweepRequest, settings = {}) => ground.sweep(request, settings, hasty(60_000));
  failAfter(simulator, 20, { onBegin: () => clock.pass({ minutes: 4 }) });
  const request = { kind: 'sync', budgetMs: 240_000 } as const;
  await expect(sweep(request)).rejects.toThrow(/time budget ran out.*next run resumes/);
  expect(await stateOf(client)).toMatchObject({ run: { status: 'failed' }, failedLines: 0 });
});

test('a run that ended with a requested pause names that first, whatever happened before', async () => {
  const { client, simulator, ...ground } = await openShop(SHOP);
  const sweep = (request?: SweepRequest, settings = {}) => ground.sweep(request, settings, hasty(60_000));
  const latest = simulator.shop.orders().at(-1)?.orderId ?? 0;
  simulator.shop.setRaw(latest, { order_id: null, created: null, time: null });
  failAfter(simulator, 50, { retryAfter: 7200 });
  const { problems } = await sweep({ kind: 'backfill' }, { pageLimit: 3 });
  expect(problems.length).toBeGreaterThan(1);
  const { run } = await stateOf(client);
  expect(run?.error).toBe(problems[0]);
  expect(run?.error).toContain('retry after 2026-03-15 11:30:20 UTC');
});

test('a shop that requests a pause of two hours gets no requests for one, from any sweep', async () => {
  const { client, clock, db, differences, simulator, ...ground } = await openShop(SHOP);
  const sweep = (request?: SweepRequest, settings = {}) => ground.sweep(request, settings, hasty(60_000));
  failAfter(simulator, 20, { retryAfter: 7200 });
  const first = await sweep();
  expect(first).toMatchObject({ status: 'partial' });
  expect(first.problems.join()).toMatch(/HTTP 503.*retry after 2026-03-15 11:30:20 UTC/);
  expect(await stateOf(client)).toMatchObject({ run: { status: 'partial' }, failedLines: 0 });
  const remembered = async () => readMemory(await readShopState(db, await testedShopId(db)));
  expect(await remembered()).toMatchObject({ pausedUntil: Temporal.Instant.from('2026-03-15T11:30:20Z') });

  simulator.faults.clear();
  simulator.requests.reset();
  clock.pass({ minutes: 59 });
  for (const kind of ['sync', 'backfill'] as const) {
    const early = await sweep({ kind });
    expect(early).toMatchObject({ status: 'partial', requests: 0, days_verified: 0 });
    expect(early.days_due).toBeGreaterThan(0);
    expect(early.problems.join()).toContain('retry after 2026-03-15 11:30:20 UTC');
  }
  expect(simulator.requests.count()).toBe(0);

  clock.pass({ minutes: 1 });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
  const { pausedUntil, throttle } = await remembered();
  expect(pausedUntil).toBeUndefined();
  expect(throttle).toMatchObject({ max_concurrency: 4, circuit: 'closed' });
  expect(await differences()).toEqual([]);
});

const SLOTS = 4;
/** An order that nothing else asks for. */
const LAST = '999999999';

test.each(['order', 'users'] as const)(
  'a login that is refused halfway, at a request for %s, is not retried by queued requests',
  async (route) => {
    const { rows, simulator, sweep } = await openShop({ orders: 120, days: 20, now: NOW, latencyMs: 10 });
    let [isRefused, sentThen] = [false, 0];
    simulator.requests.onRequest(({ route: asked, path }) => {
      if (isRefused && !path.includes(LAST)) sentThen += 1;
      if (isRefused || asked !== route || simulator.requests.count(route) < 10) return;
      isRefused = true;
      simulator.faults.failNext(Infinity, 'http-401');
    });
    const sent: ShopApi[] = [];
    const through = (api: ShopApi) => {
      sent.push(api);
      // Folder after folder of groups may be read before a refusal is known.
      return withoutGroups(api);
    };
    const means = { through, maxConcurrency: SLOTS };
    await expect(sweep({ kind: 'backfill' }, {}, means)).rejects.toBeInstanceOf(TerminalError);
    // Requests wait in line: when the last ones have had their turn in each slot, so have all.
    const last = sent.flatMap((api) => Array.from({ length: SLOTS }, () => api.orderContent(LAST)));
    expect(last).toHaveLength(SLOTS);
    expect((await Promise.allSettled(last)).map(({ status }) => status)).not.toContain('fulfilled');
    // Those in flight as the first was refused, and no others.
    expect(sentThen).toBeLessThanOrEqual(2 * SLOTS);
    expect(await rows('SELECT status FROM tested.runs')).toEqual([{ status: 'failed' }]);
  },
);
