/** A simulated shop and a warehouse that holds nothing of it yet, for the time of a test. */
import type { Simulator, SimulatorOptions } from '../../src/simulator/server.ts';
import type { ShopSettings } from '../../src/sync/run/context.ts';
import type { SweepRequest } from '../../src/sync/sweep/sweep-request.ts';
import { makeShopInProcess } from './in-process-shop.ts';
import {
  inWarehouse,
  type Means,
  type Opened,
  sweepOnce,
  type TestClock,
  testClock,
  withoutGroups,
} from './sweep.ts';

/** The shop's time, which stands still, and that of the first sweep. */
export const PRESENT = Temporal.Instant.from('2026-03-10T18:00:00Z');

export const SHOP = { orders: 40, days: 6, seed: 8 } as const;

export type Ground = Opened & {
  readonly simulator: Simulator;
  /** The sweeps' time, which stands still until a test lets some pass. */
  readonly clock: TestClock;
  /** Of sweeps by this clock, without the group tree, which takes more requests than the orders of a small shop. */
  readonly means: Pick<Means, 'now' | 'through'>;
  /** A sweep by these means, by which settings and means are added. */
  readonly sweep: (
    request?: SweepRequest,
    settings?: Partial<ShopSettings>,
    more?: Means,
  ) => ReturnType<typeof sweepOnce>;
};

/** Days of the ledger, oldest first. */
export async function daysThatAre(which: 'verified' | 'open', client: Opened['client']) {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days WHERE (verified_at IS NULL) = $1 ORDER BY day',
    [which === 'open'],
  );
  return rows.map(({ day }) => day);
}

/** @param options `now` is `PRESENT` unless given */
export async function withShop(
  options: SimulatorOptions,
  work: (ground: Ground) => Promise<void>,
): Promise<void> {
  const { now = PRESENT } = options;
  await using simulator = makeShopInProcess({ ...options, now });
  await inWarehouse(async (opened) => {
    const clock = testClock(now);
    const means = { now: clock.now, through: withoutGroups };
    const sweep: Ground['sweep'] = (request, settings, more) =>
      sweepOnce(simulator, opened.db, request, settings, { ...means, ...more });
    await work({ ...opened, simulator, clock, means, sweep });
  });
}
