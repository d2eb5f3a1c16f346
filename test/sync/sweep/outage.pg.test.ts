import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { UnavailableError } from '../../../src/model/errors.ts';
import { createShopApi, type ShopApi } from '../../../src/shop-api/shop-api.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import { readMemory } from '../../../src/sync/run/shop-state.ts';
import { readShopState } from '../../../src/warehouse/ops/stored-shop-state.ts';
import { inWarehouse, sweepOnce, testClock, testedShopId } from '../../support/sweep.ts';
import type { Ground } from '../../support/shop.ts';
import { differences } from '../../support/truth.ts';

const NOW = Temporal.Instant.from('2026-03-15T10:30:20Z');

type Lab = Pick<Ground, 'client' | 'clock' | 'db' | 'simulator' | 'sweep'>;

/** A shop that a hasty client reads. */
async function inLab(maxOutageMs: number, work: (lab: Lab) => Promise<void>): Promise<void> {
  await using simulator = await startSimulator({ orders: 60, days: 20, now: NOW });
  await inWarehouse(async ({ client, db }) => {
    const clock = testClock(NOW);
    const means = { through: hasty(simulator, maxOutageMs), now: clock.now };
    const sweep: Ground['sweep'] = (request, settings, more) =>
      sweepOnce(simulator, db, request, settings, { ...means, ...more });
    await work({ client, clock, db, simulator, sweep });
  });
}

/** A client that finds out soon. */
function hasty(simulator: Simulator, maxOutageMs: number): () => ShopApi {
  return () =>
    createShopApi({
      baseUrl: simulator.url,
      login: 'admin',
      apiKey: 'simulated-key',
      maxConcurrency: 4,
      maxRps: 100_000,
      retry: { firstPauseMs: 1, maxPauseMs: 5 },
      circuit: { firstProbeMs: 20, maxProbeMs: 50 },
      maxOutageMs,
    });
}

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

test('an outage ends the sweep and marks no order, and the next sweep continues', () =>
  inLab(300, async ({ client, simulator, sweep }) => {
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
    expect(await differences(client, simulator.shop)).toEqual([]);
  }));

test('a sweep waits for a short outage to end, and completes', () =>
  inLab(60_000, async ({ client, simulator, sweep }) => {
    failAfter(simulator, 20, { onBegin: () => endAtProbe(simulator, 5) });
    const api = hasty(simulator, 60_000)();
    const result = await sweep({ kind: 'backfill' }, {}, { through: () => api });
    expect(result).toMatchObject({ status: 'ok', throttle: { circuit: 'closed', max_concurrency: 4 } });
    expect(api.health.probes).toBeGreaterThan(1);
    expect(await differences(client, simulator.shop)).toEqual([]);
  }));

test('a scheduled sweep does not wait for a shop longer than its time budget', () =>
  inLab(60_000, async ({ client, clock, simulator, sweep }) => {
    failAfter(simulator, 20, { onBegin: () => clock.pass({ minutes: 4 }) });
    const request = { kind: 'sync', budgetMs: 240_000 } as const;
    await expect(sweep(request)).rejects.toThrow(/time budget ran out.*next run resumes/);
    expect(await stateOf(client)).toMatchObject({ run: { status: 'failed' }, failedLines: 0 });
  }));

test('a run that ended with a requested pause names that first, whatever happened before', () =>
  inLab(60_000, async ({ client, simulator, sweep }) => {
    const latest = simulator.shop.orders().at(-1)?.orderId ?? 0;
    simulator.shop.setRaw(latest, { order_id: null, created: null, time: null });
    failAfter(simulator, 50, { retryAfter: 7200 });
    const { problems } = await sweep({ kind: 'backfill' }, { pageLimit: 3 });
    expect(problems.length).toBeGreaterThan(1);
    const { run } = await stateOf(client);
    expect(run?.error).toBe(problems[0]);
    expect(run?.error).toContain('retry after 2026-03-15 11:30:20 UTC');
  }));

test('a shop that requests a pause of two hours gets no requests for one, from any sweep', () =>
  inLab(60_000, async ({ client, clock, db, simulator, sweep }) => {
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
    expect(await differences(client, simulator.shop)).toEqual([]);
  }));
