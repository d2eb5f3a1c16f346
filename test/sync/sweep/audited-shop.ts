import type { Simulator } from '../../../src/simulator/server.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import {
  inWarehouse,
  type Opened,
  sweepOnce,
  type TestClock,
  testClock,
  withoutGroups,
} from '../../support/sweep.ts';
import { PRESENT } from '../support/copy.ts';

export const SHOP = { orders: 40, days: 6, seed: 8, now: PRESENT } as const;

export type Ground = Opened & {
  readonly simulator: Simulator;
  readonly clock: TestClock;
  readonly sweep: (request?: SweepRequest) => ReturnType<typeof sweepOnce>;
};

/** A shop without groups, and a warehouse that holds nothing of it yet. */
export async function withShop(
  options: Parameters<typeof makeShopInProcess>[0],
  work: (ground: Ground) => Promise<void>,
): Promise<void> {
  await using simulator = makeShopInProcess(options);
  await inWarehouse(async (opened) => {
    const clock = testClock(PRESENT);
    const means = { now: clock.now, through: withoutGroups };
    const sweep: Ground['sweep'] = (request) => sweepOnce(simulator, opened.db, request, {}, means);
    await work({ ...opened, simulator, clock, sweep });
  });
}
