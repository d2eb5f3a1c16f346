/** A simulated shop, and a warehouse that holds all of it: where most stories begin. */
import type { Client } from 'pg';
import { expect } from 'vitest';

import type { Simulator } from '../../../src/simulator/server.ts';
import { withShop } from '../../support/shop.ts';
import type { SweepResult } from '../../../src/sync/sweep/sweep-shop.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { type Means, sweepOnce, type TestClock, withoutGroups } from '../../support/sweep.ts';

export const FORCED: SweepRequest = { kind: 'backfill', force: true };

/** A logger that keeps what is warned of. */
export function warnings() {
  const logged: unknown[] = [];
  const drop = () => undefined;
  return {
    logged,
    logger: { debug: drop, info: drop, warn: (...line: unknown[]) => void logged.push(line) },
  };
}

export type Copy = {
  readonly simulator: Simulator;
  readonly client: Client;
  /** The sweeps' time: a minute after the first sweep. */
  readonly clock: TestClock;
  /** A forced sweep of all days unless it is given another request. */
  readonly sweep: (given?: {
    readonly request?: SweepRequest;
    readonly through?: NonNullable<Means['through']>;
  }) => Promise<SweepResult>;
};

/** @param days over which the orders are spread */
export async function withCopy(orders: number, work: (copy: Copy) => Promise<void>, days = 5): Promise<void> {
  await withShop({ orders, days, seed: orders }, async ({ client, clock, db, simulator }) => {
    const sweep: Copy['sweep'] = ({ request = FORCED, through } = {}) =>
      sweepOnce(simulator, db, request, {}, { now: clock.now, through: throughBoth(through) });
    expect(await sweep()).toMatchObject({ status: 'ok', orders_new: orders });
    simulator.requests.reset();
    clock.pass({ minutes: 1 });
    await work({ simulator, client, clock, sweep });
  });
}

const throughBoth =
  (through: Means['through']): Means['through'] =>
  (api) =>
    through?.(withoutGroups(api)) ?? withoutGroups(api);

/** Identifier of an order by its place in time. */
export function idAt({ shop }: Simulator, index: number): number {
  const order = shop.orders()[index];
  if (order === undefined) throw new RangeError(`the shop has no ${index + 1} orders`);
  return order.orderId;
}

export type Held = {
  /** Day of the month and time, UTC. */
  readonly missing_since: string | null;
  readonly deleted_at: string | null;
  readonly day: string;
};

export async function held(client: Client, orderId: number): Promise<Held | undefined> {
  const { rows } = await client.query<Held>(
    `SELECT to_char(missing_since, 'DD HH24:MI') AS missing_since, to_char(deleted_at, 'DD HH24:MI') AS deleted_at,
       created_on::text AS day
     FROM tested.orders WHERE order_id = $1`,
    [orderId],
  );
  return rows[0];
}

export type Marks = { readonly missing: number; readonly deleted: number };

export async function marks(client: Client): Promise<Marks | undefined> {
  const { rows } = await client.query<Marks>(
    'SELECT count(missing_since)::int AS missing, count(deleted_at)::int AS deleted FROM tested.orders',
  );
  return rows[0];
}
