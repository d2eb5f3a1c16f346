import { expect, test } from 'vitest';

import { ShopRegistry } from '../../src/worker/shop-registry.ts';
import { sweepJob } from '../../src/worker/sweep-job.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { impatientShop, sweepJobDeps } from '../support/impatient-shop.ts';
import { inOwnWarehouse, OF_TEST_SHOP, testClock } from '../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };
const running = new AbortController().signal;

test.each([
  ['the key', { apiKey: 'a wrong one' }],
  ['the address', { baseUrl: 'http://127.0.0.1:1' }],
])('after %s of a shop was corrected, an old pause after failures delays nothing', async (_what, wrong) => {
  await using simulator = await startSimulator({ orders: 8, days: 2, now: PRESENT });
  await inOwnWarehouse(async ({ client, db }) => {
    const clock = testClock(PRESENT);
    const registry = new ShopRegistry(quiet, clock.now);
    const ended: (string | undefined)[] = [];
    const deps = sweepJobDeps({
      db,
      registry,
      now: clock.now,
      count: (_shop, result) => ended.push(result?.status),
    });
    const sweep = async () => {
      await sweepJob(deps, 'test', running);
      // Runs are recorded by the real clock; here they are of the test's.
      await client.query(
        `UPDATE ops.runs SET started_at = $1, finished_at = $1 WHERE ${OF_TEST_SHOP} AND finished_at > $1`,
        [clock.now().toString()],
      );
    };
    const [right, bad] = [impatientShop(simulator.url), { ...impatientShop(simulator.url), ...wrong }];
    registry.configure([bad]);
    await sweep();
    expect(ended).toEqual([undefined]);
    clock.pass({ seconds: 10 });
    // Read again as they were, they are no others.
    registry.configure([{ ...bad }]);
    await sweep();
    expect(ended).toEqual([undefined]);
    clock.pass({ seconds: 10 });
    registry.configure([right]);
    await sweep();
    expect(ended).toEqual([undefined, 'ok']);
  });
});
