/** A simulated shop and a warehouse that holds nothing of it yet. */
import { onTestFinished } from 'vitest';

import type { SimulatorOptions } from '../../src/simulator/server.ts';
import type { SimulatedShop } from '../../src/simulator/shop/simulated-shop.ts';
import type { ShopSettings } from '../../src/sync/run/context.ts';
import type { SweepRequest } from '../../src/sync/sweep/sweep-request.ts';
import type { VerifyRequest } from '../../src/sync/verify/verify-shop.ts';
import { type InProcessShop, makeShopInProcess } from './in-process-shop.ts';
import {
  type Means,
  type Opened,
  openShared,
  sweepOnce,
  type TestClock,
  testClock,
  verifyOnce,
  openWarehouse,
  type Warehouse,
  withoutGroups,
} from './sweep.ts';
import { differences, type Scope } from './truth.ts';

/** The shop's time, which stands still, and that of the first sweep. */
export const PRESENT = Temporal.Instant.from('2026-03-10T18:00:00Z');

export const SHOP = { orders: 40, days: 6, seed: 8 } as const;

/** A sweep of every day, whenever it was verified. */
export const FORCED: SweepRequest = { kind: 'backfill', force: true };

export type Ground = Opened & {
  readonly simulator: InProcessShop;
  readonly shop: SimulatedShop;
  /** What stands between shop and client. */
  readonly front: InProcessShop['front'];
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
  /** A comparison by the same means. */
  readonly verify: (
    request?: VerifyRequest,
    settings?: Partial<ShopSettings>,
    more?: Means,
  ) => ReturnType<typeof verifyOnce>;
  /** What differs between the shop and the warehouse. */
  readonly differences: (scope?: Scope) => ReturnType<typeof differences>;
  /** The rows of a query. */
  readonly rows: ReturnType<typeof rowsIn>;
};

/** @param options `now` is `PRESENT` unless given @param open the warehouse; shared ones are used in turn */
export async function openGround(
  options: SimulatorOptions,
  open: () => Promise<Warehouse> = openShared,
): Promise<Ground & AsyncDisposable> {
  const { now = PRESENT } = options;
  await using opening = new AsyncDisposableStack();
  const simulator = opening.use(makeShopInProcess({ ...options, now }));
  const { client, db, url } = opening.use(await open());
  const clock = testClock(now);
  const means = { now: clock.now, through: withoutGroups };
  const opened = opening.move();
  return {
    client,
    db,
    url,
    simulator,
    shop: simulator.shop,
    front: simulator.front,
    clock,
    means,
    sweep: (request, settings, more) => sweepOnce(simulator, db, request, settings, { ...means, ...more }),
    verify: (request, settings, more) => verifyOnce(simulator, db, request, settings, { ...means, ...more }),
    differences: (scope) => differences(client, simulator.shop, scope),
    rows: rowsIn(client),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export function rowsIn(client: Opened['client']) {
  return async (query: string, ...values: readonly unknown[]) =>
    (await client.query(query, [...values])).rows;
}

/** Days of the ledger, oldest first. */
export async function daysThatAre(which: 'verified' | 'open', client: Opened['client']) {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days WHERE (verified_at IS NULL) = $1 ORDER BY day',
    [which === 'open'],
  );
  return rows.map(({ day }) => day);
}

/** For the time of a test. @param options `now` is `PRESENT` unless given */
export async function openShop(options: SimulatorOptions = SHOP): Promise<Ground> {
  return untilTestEnds(await openGround(options));
}

/** As `openShop`, with a warehouse of its own: for what changes tables, or looks at all of them. */
export async function openOwnShop(options: SimulatorOptions = SHOP): Promise<Ground> {
  return untilTestEnds(await openGround(options, openWarehouse));
}

/** Closes something when the test that opened it has ended. */
export function untilTestEnds<Opened extends AsyncDisposable>(opened: Opened): Opened {
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** For as long as the work takes, where one test opens many. */
export async function withShop(
  options: SimulatorOptions,
  work: (ground: Ground) => Promise<void>,
): Promise<void> {
  await using ground = await openGround(options);
  await work(ground);
}
