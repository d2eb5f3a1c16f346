/** A simulated shop, and a warehouse that holds all of it: where most stories begin. */
import type { Client } from 'pg';
import { expect } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { FORCED, type Ground, openShop } from '../../support/shop.ts';
import { withoutGroups } from '../../support/sweep.ts';

/** A logger that keeps what is warned of. */
export function warnings() {
  const logged: unknown[] = [];
  const drop = () => undefined;
  return {
    logged,
    logger: { debug: drop, info: drop, warn: (...line: unknown[]) => void logged.push(line) },
  };
}

/**
 * A shop with so many orders, spread over some days, and its copy, a minute after it was made. Sweeps are forced ones of all
 * days unless they are given another request.
 */
export async function openCopy(orders: number, days = 5): Promise<Ground> {
  const ground = await openShop({ orders, days, seed: orders });
  const sweep: Ground['sweep'] = (
    request = FORCED,
    settings,
    { through = (api: ShopApi) => api, ...more } = {},
  ) => ground.sweep(request, settings, { ...more, through: (api) => through(withoutGroups(api)) });
  expect(await sweep()).toMatchObject({ status: 'ok', orders_new: orders });
  ground.simulator.requests.reset();
  ground.clock.pass({ minutes: 1 });
  return { ...ground, sweep };
}

/** Identifier of an order by its place in time. */
export function idAt({ shop }: Pick<Simulator, 'shop'>, index: number): number {
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

export async function marks(client: Client) {
  const { rows } = await client.query<{ missing: number; deleted: number }>(
    'SELECT count(missing_since)::int AS missing, count(deleted_at)::int AS deleted FROM tested.orders',
  );
  return rows[0];
}

/** Makes the suspects that are kept as much older: they go by the database's clock, which no test sets. */
export async function ageSuspects(client: Client, hours: number): Promise<void> {
  await client.query(
    `UPDATE tested.due SET since = since - make_interval(hours => $1) WHERE kind = 'missing'`,
    [hours],
  );
}
