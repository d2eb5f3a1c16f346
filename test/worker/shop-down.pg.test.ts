/** What the gauge `order_sync_circuit_open` says of a shop that does not answer, after every sweep of a worker. */
import { expect } from 'vitest';

import { test } from '../support/fixtures.ts';
import { parseFreshness } from '../../src/plan/days/freshness.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { createSources } from '../../src/worker/ops-sources.ts';
import type { WorkerShop } from '../../src/worker/shop-registry.ts';
import { findProblems } from '../../src/sync/report/shop-problems.ts';
import { sweepJob } from '../../src/worker/sweep-job.ts';
import { impatientShop, registryOf, sweepJobDeps } from '../support/impatient-shop.ts';
import { type Opened, testClock } from '../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');

/** A worker without its slots and its server. */
function startWorker(
  { client, db }: Opened,
  baseUrl: string,
  clock: ReturnType<typeof testClock>,
  given: Partial<WorkerShop> = {},
) {
  const registry = registryOf({ ...impatientShop(baseUrl), ...given });
  const sources = createSources({ db, shopKeys: () => ['test'], now: clock.now });
  let ended = 0;
  const deps = sweepJobDeps({
    db,
    registry,
    now: clock.now,
    count: () => void ended++,
  });
  return {
    /** A sweep after every pause, and the gauge after it. */
    sweep: async (): Promise<{ gauge: string | undefined; problems: string }> => {
      clock.pass({ minutes: 15 });
      const before = ended;
      await sweepJob(deps, 'test', undefined);
      expect(ended).toBe(before + 1);
      // Runs are recorded by the real clock; here they are of the test's.
      await client.query(`UPDATE tested.runs SET finished_at = $1 WHERE finished_at > $1`, [
        clock.now().toString(),
      ]);
      const gauge = /^order_sync_circuit_open\{shop="test"\} (\d)/m.exec(await sources.metrics.render())?.[1];
      const [shop] = await sources.status();
      const problems = shop === undefined ? [] : findProblems(shop, clock.now());
      return { gauge, problems: problems.map(({ what }) => what).join(' ') };
    },
  };
}

test('a shop that refuses connections is down until it answers again, for a restarted worker too', async ({
  shared: opened,
}) => {
  const options = { orders: 12, days: 5, now: PRESENT };
  let simulator = await startSimulator(options);
  const { url } = simulator;
  const clock = testClock(PRESENT);
  const first = startWorker(opened, url, clock);
  expect((await first.sweep()).gauge).toBe('0');
  await simulator.close();
  for (let sweeps = 0; sweeps < 3; sweeps++) {
    const { gauge, problems } = await first.sweep();
    expect(gauge, `after sweep ${sweeps}`).toBe('1');
    expect(problems).toContain('has not answered');
    expect(problems).not.toContain('slow');
  }
  const restarted = startWorker(opened, url, clock);
  expect((await restarted.sweep()).gauge).toBe('1');
  simulator = await startSimulator({ ...options, port: Number(new URL(url).port) });
  expect((await restarted.sweep()).gauge).toBe('0');
  await simulator.close();
  const another = startWorker(opened, url, clock);
  expect((await another.sweep()).gauge, 'its client never had an answer').toBe('1');
});

test('a shop whose proxy answers HTTP 502 to everything is down; one that refuses the login or asks for a pause is not', async ({
  shared: opened,
}) => {
  await using simulator = await startSimulator({ orders: 12, days: 5, now: PRESENT });
  const clock = testClock(PRESENT);
  const { sweep } = startWorker(opened, simulator.url, clock);
  expect((await sweep()).gauge).toBe('0');
  simulator.faults.failNext(Infinity, 'http-502');
  expect((await sweep()).gauge).toBe('1');
  simulator.faults.clear();
  simulator.faults.failNext(Infinity, 'http-401');
  expect((await sweep()).gauge).toBe('0');
  simulator.faults.clear();
  expect((await sweep()).gauge).toBe('0');
  simulator.faults.failNext(Infinity, 'http-502');
  expect((await startWorker(opened, simulator.url, clock).sweep()).gauge, 'restarted').toBe('1');
  simulator.faults.clear();
  expect((await startWorker(opened, simulator.url, clock).sweep()).gauge).toBe('0');
  simulator.faults.failNext(Infinity, 'http-429', { retryAfter: 3_000 });
  const paused = await startWorker(opened, simulator.url, clock).sweep();
  expect(paused).toEqual({ gauge: '0', problems: expect.stringContaining('requested a pause') });
});

test('a shop is down after a sweep whose only requests, for its groups, got no answer', async ({
  shared: opened,
}) => {
  await using simulator = await startSimulator({ orders: 12, days: 5, now: PRESENT });
  const clock = testClock(PRESENT);
  const { sweep } = startWorker(opened, simulator.url, clock, {
    freshness: parseFreshness('*:1d'),
    groupsMaxAgeMs: 600_000,
    // As where requests time out: a worker has no time for a third attempt, and the breaker stays closed.
    retry: { maxAttempts: 2, firstPauseMs: 1, maxPauseMs: 2 },
  });
  expect((await sweep()).gauge).toBe('0');
  simulator.requests.reset();
  simulator.faults.failNext(Infinity, 'http-502');
  expect((await sweep()).gauge).toBe('1');
  expect(simulator.requests.counts()).toEqual({ groups: 2 });
  simulator.faults.clear();
  expect((await sweep()).gauge).toBe('0');
});
