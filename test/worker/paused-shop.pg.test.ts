/** A worker beside a shop that somebody stopped: the others go on, and it begins again by itself. */
import { expect } from 'vitest';

import { test } from '../support/fixtures.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { describeCondition } from '../../src/sync/report/shop-condition.ts';
import { findShop } from '../../src/warehouse/directory/registered-shops.ts';
import { pauseShop, resumeShop } from '../../src/warehouse/directory/shop-life.ts';
import { createSources } from '../../src/worker/ops-sources.ts';
import { sweepJob } from '../../src/worker/sweep-job.ts';
import { impatientShop, registryOf, sweepJobDeps } from '../support/impatient-shop.ts';
import { testClock } from '../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');

test('a stopped shop is asked nothing and is no failure, the others go on, and the next tick after its return sweeps it', async ({
  own: { db },
}) => {
  await using south = await startSimulator({ orders: 10, days: 5, seed: 2, now: PRESENT });
  await using north = await startSimulator({ orders: 10, days: 5, now: PRESENT });
  const clock = testClock(PRESENT);
  const registry = registryOf(
    { ...impatientShop(north.url), shopKey: 'north' },
    { ...impatientShop(south.url), shopKey: 'south' },
  );
  const sources = createSources({ db, shopKeys: () => ['north', 'south'], now: clock.now });
  const ended: string[] = [];
  const count = (shop: string, result: unknown) => void ended.push(result ? shop : `${shop} failed`);
  const deps = sweepJobDeps({ db, registry, now: clock.now, count });
  /** What a tick asked of each shop, and what is shown of them. */
  const tick = async () => {
    clock.pass({ minutes: 6 });
    for (const { requests } of [north, south]) requests.reset();
    for (const shop of ['north', 'south']) expect(await sweepJob(deps, shop, undefined)).toBe('ended');
    const states = (await sources.status()).map((shop) => describeCondition(shop, clock.now()).word);
    return { asked: [north.requests.count() > 0, south.requests.count() > 0], states };
  };
  const both = { asked: [true, true], states: ['complete', 'complete'] };
  expect(await tick()).toEqual(both);
  const shopId = (await findShop(db, 'south'))?.shopId ?? 0;
  await pauseShop(db, shopId);
  for (let ticks = 0; ticks < 2; ticks++) {
    expect(await tick()).toEqual({ asked: [true, false], states: ['complete', 'paused'] });
  }
  south.shop.insertOrder();
  await resumeShop(db, shopId);
  expect(await tick()).toEqual(both);
  expect(ended.filter((shop) => shop !== 'north')).toEqual(['south', 'south']);
  const { rows } = await db.execute(`SELECT count(*)::int AS n FROM core.orders WHERE shop_id = ${shopId}`);
  expect(rows).toEqual([{ n: 11 }]);
});
