/**
 * The data that the documentation answers from: a simulated shop of half a year, of which the last three weeks were watched.
 * Its clock is fixed, so that the same questions have the same answers on every machine and every day.
 */
import type { Client } from 'pg';

import type { Simulator } from '../../src/simulator/server.ts';
import type { SimOrder } from '../../src/simulator/shop/sim-order.ts';
import { findShop } from '../../src/warehouse/directory/registered-shops.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { showFields } from '../support/show-fields.ts';
import { sweepOnce, type TestClock, testClock } from '../support/sweep.ts';
import { emptyDatabase } from '../support/database.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';

/** When the first sweep read the shop. */
const WATCHED_FROM = Temporal.Instant.from('2026-02-20T08:10:00Z');
const AT_LENGTH: Watched = { orders: 480, days: 160, until: Temporal.Instant.from('2026-03-13T17:10:00Z') };
/** All that happens, in days instead of weeks, where nobody asks how often. */
export const BRIEFLY: Watched = {
  orders: 120,
  days: 40,
  until: Temporal.Instant.from('2026-02-24T08:10:00Z'),
};
export const TIMEZONE = 'Europe/Berlin';

const SHOP = { seed: 7, timezone: TIMEZONE, now: WATCHED_FROM };
const TICK = { newOrders: 1, edits: 0 };
const TICK_HOURS = 8;
const TICKS_PER_SWEEP = 6;
/** Of these many latest orders, every sixth moves on in a tick unless its life is over. */
const LIVELY_ORDERS = 40;
const UNFINISHED = ['', 'U', 'A', 'N', 'G', 'V', 'Z', 'P', 'S', 'O', 'M'];
const YEAR_MS = 365 * 86_400_000;
/** Groups and users are read once: they do not change here. */
const SETTINGS = { shopKey: 'demo', groupsMaxAgeMs: YEAR_MS, usersMaxAgeMs: YEAR_MS };

export type DemoWarehouse = AsyncDisposable & {
  readonly url: string;
  readonly client: Client;
  readonly simulator: Simulator;
};

type Watched = { readonly orders: number; readonly days: number; readonly until: Temporal.Instant };

export async function openDemoWarehouse({ until, ...size }: Watched = AT_LENGTH): Promise<DemoWarehouse> {
  await using opening = new AsyncDisposableStack();
  const simulator = opening.use(makeShopInProcess({ ...SHOP, ...size }));
  const warehouse = opening.use(await openTestWarehouse(emptyDatabase));
  const client = await warehouse.database.connect();
  opening.defer(() => client.end());
  const clock = testClock(WATCHED_FROM);
  const means = { now: clock.now, refreshesSummaries: true };
  const sweep = () => sweepOnce(simulator, warehouse.db, { kind: 'sync' }, SETTINGS, means);
  await sweep();
  for (let tick = 1; Temporal.Instant.compare(clock.now(), until) < 0; tick += 1) {
    live(simulator, clock, tick);
    if (tick % TICKS_PER_SWEEP === 0) await sweep();
  }
  spoil(simulator);
  // A deletion takes two looks; the second is at the days that are due again by then.
  for (let look = 1; look <= 2; look += 1) {
    clock.pass({ hours: 2 });
    await sweep();
  }
  // The database's clock is not fixed.
  await client.query('UPDATE core.shops SET created_at = $1', [WATCHED_FROM.toString()]);
  const shop = await findShop(warehouse.db, SETTINGS.shopKey);
  await showFields(warehouse.db, shop?.shopId ?? 0, 'source');
  // As autovacuum would, some time later.
  await client.query('ANALYZE');
  const opened = opening.move();
  return { url: warehouse.url, client, simulator, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function live({ shop }: Simulator, clock: TestClock, tick: number): void {
  clock.pass({ hours: TICK_HOURS });
  shop.tick(clock.now(), TICK);
  const lively = shop
    .orders()
    .slice(-LIVELY_ORDERS)
    .filter(({ status }) => UNFINISHED.includes(status));
  for (const [at, { orderId }] of lively.entries()) if ((at + tick) % 6 === 0) shop.editOrder(orderId);
}

/** What happens in every shop now and then: a deletion, a refund, a code of its own, figures that do not agree, nonsense. */
function spoil({ shop }: Simulator): void {
  const orders = shop.orders();
  const at = (fromEnd: number): SimOrder => {
    const order = orders.at(-fromEnd);
    if (order === undefined) throw new Error(`the demo has fewer than ${fromEnd} orders`);
    return order;
  };
  shop.deleteOrder(at(20).orderId);
  const paid = orders.slice(0, -LIVELY_ORDERS).findLast(({ paidCents }) => paidCents > 0);
  if (paid === undefined) throw new Error('the demo has no paid order');
  shop.editOrder(paid.orderId, { paidCents: 0 });
  shop.editOrder(at(5).orderId, { status: 'W7' });
  shop.editOrder(at(6).orderId, { sumCents: at(6).sumCents - 100 });
  shop.editOrder(at(8).orderId, { sumCents: at(8).sumCents - at(8).deliveryPriceCents });
  shop.editOrder(at(9).orderId, { paidCents: at(9).sumCents + 5_000 });
  shop.editOrder(at(11).orderId, { currency: '' });
  shop.editOrder(at(12).orderId, { itemCount: at(12).itemCount + 1 });
  shop.editOrder(at(14).orderId);
  shop.setRaw(at(14).orderId, { summ: 'ask Anna' });
}
