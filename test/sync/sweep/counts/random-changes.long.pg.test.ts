/** Changes at random, at any age: whatever alters a count is in the warehouse two syncs later, or a few where orders moved. */
import * as fc from 'fast-check';
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { chooseFacets } from '../../../../src/plan/counts/facets.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import type { Db } from '../../../../src/warehouse/db/database.ts';
import { countOrdersByFacet } from '../../../../src/warehouse/orders/live-orders.ts';
import { sweepOnce, testClock, testedShopId, withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';
import { withShop } from '../../../support/shop.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const MINUTE = 60_000;
const RUNS = 100;
const STATUSES = ['A', 'C', 'F', 'K', 'P', ''];

const KINDS = ['edit', 'pay', 'sum', 'delete', 'insert', 'move', 'cancel', 'mass'] as const;

type Change = {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
  readonly code: number;
};

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(10_000),
  code: fc.nat(STATUSES.length - 1),
});

function apply({ shop }: Simulator, { kind, at, code }: Change): void {
  const orders = shop.orders();
  const order = orders[at % orders.length];
  const other = orders[(at * 7 + 1) % orders.length];
  if (order === undefined || other === undefined) return;
  const status = STATUSES[code] ?? '';
  const createdLocal = Temporal.PlainDateTime.from('2026-03-01T10:30').subtract({ days: at % 150 });
  const acts: Readonly<Record<Change['kind'], () => void>> = {
    edit: () => shop.editOrder(order.orderId, { status }),
    pay: () => shop.editOrder(order.orderId, { payStatus: order.payStatus === 'FP' ? 'S' : 'FP' }),
    sum: () => shop.editOrder(order.orderId, { deliveryPriceCents: at * 100 }),
    mass: () => {
      const every = Math.ceil(orders.length / 20);
      const some = orders.filter((_, index) => index % every === at % every);
      for (const { orderId } of some) shop.editOrder(orderId, { status });
    },
    delete: () => shop.deleteOrder(order.orderId),
    insert: () => shop.insertOrder({ createdLocal }),
    move: () => shop.moveOrder(order.orderId, createdLocal),
    // Both statuses are counted as before.
    cancel: () => {
      shop.editOrder(order.orderId, { status: other.status });
      shop.editOrder(other.orderId, { status: order.status });
    },
  };
  acts[kind]();
}

const COUNTED = '2026-03-08';

type Counted = { readonly status: string; readonly payStatus: string; readonly sum: number };

/** How many orders there are of the counted days: by status, by payment status, from some sums on, and together. */
function tally(orders: readonly Counted[], amounts: readonly number[]): Readonly<Record<string, number>> {
  const keys = orders.flatMap(({ status, payStatus, sum }) => [
    'all',
    `status ${status}`,
    `pay ${payStatus}`,
    ...amounts.filter((amount) => sum >= amount).map((amount) => `sum ${amount}`),
  ]);
  return Object.fromEntries(
    [...Map.groupBy(keys.toSorted(), (key) => key)].map(([key, all]) => [key, all.length]),
  );
}

const inShop = ({ shop }: Simulator): readonly Counted[] =>
  shop
    .orders()
    .filter(({ createdLocal }) => createdLocal.toPlainDate().toString() <= COUNTED)
    .map(({ status, payStatus, sumCents }) => ({ status, payStatus, sum: sumCents / 100 }));

async function inWarehouseNow(client: Client): Promise<readonly Counted[]> {
  const { rows } = await client.query<Counted>(
    `SELECT status_code AS status, pay_status_code AS "payStatus", order_sum::float8 AS sum FROM tested.orders
     WHERE created_on <= $1 AND missing_since IS NULL AND deleted_at IS NULL`,
    [COUNTED],
  );
  return rows;
}

/** The sums that the next sync asks for. */
async function askedAmounts(db: Db): Promise<readonly number[]> {
  const days = { from: Temporal.PlainDate.from('2001-01-01'), to: Temporal.PlainDate.from(COUNTED) };
  const stored = await countOrdersByFacet(db, await testedShopId(db), days);
  return chooseFacets(stored).flatMap((facet) => (facet.by === 'summ_from' ? facet.amount : []));
}

/** The shop changes while it is asked. */
function drifting(simulator: Simulator, drift: Change[]) {
  let asked = 0;
  return (api: ShopApi): ShopApi => ({
    ...withoutGroups(api),
    listOrders: async (...query) => {
      const next = ++asked % 9 === 0 ? drift.shift() : undefined;
      if (next !== undefined) apply(simulator, next);
      return api.listOrders(...query);
    },
  });
}

test('whatever alters a count is in the warehouse after the next two syncs, or one more for each order that moved, and no day is verified by counts', async () => {
  const changes = fc.array(change, { minLength: 1, maxLength: 12 });
  const drifts = fc.oneof(fc.constant([]), fc.array(change, { maxLength: 4 }));
  const pages = fc.constantFrom(100, 1_000);
  const given = fc.record({ seed: fc.nat(1_000), pageLimit: pages, changes, drift: drifts });
  let found = 0;
  await fc.assert(
    fc.asyncProperty(given, async ({ seed, pageLimit, changes, drift }) => {
      const clock = testClock(NOW);
      await withShop({ orders: 150, days: 150, now: NOW, seed }, async ({ client, db, simulator }) => {
        const toCome = [...drift];
        const through = drifting(simulator, toCome);
        const settings = { countEveryMs: MINUTE, pageLimit };
        const sync = async () => {
          clock.pass({ minutes: 1 });
          await sweepOnce(simulator, db, { kind: 'sync' }, settings, { now: clock.now, through });
        };
        const means = { now: clock.now, through: withoutGroups };
        await sweepOnce(simulator, db, { kind: 'backfill' }, { pageLimit }, means);
        for (const each of changes) apply(simulator, each);
        const before = tally(await inWarehouseNow(client), []);
        found += Number(JSON.stringify(tally(inShop(simulator), [])) !== JSON.stringify(before));
        let amounts: readonly number[] = [];
        // An order that moved counts one less in one span and one more in another, and may hide another change there for a sync.
        const syncs = 2 + [...changes, ...drift].filter(({ kind }) => kind === 'move').length;
        for (let left = syncs; left > 0;) {
          amounts = await askedAmounts(db);
          const driftLeft = toCome.length;
          await sync();
          // What changes during a sync is found by those after it.
          left = toCome.length < driftLeft ? syncs : left - 1;
        }
        expect(tally(await inWarehouseNow(client), amounts)).toEqual(tally(inShop(simulator), amounts));
        const { rows } = await client.query<{ day: string }>(
          'SELECT day::text FROM tested.days WHERE verified_at >= $1',
          // Of the last two.
          [clock.now().subtract({ minutes: 1 }).toString()],
        );
        const days = new Set(rows.map(({ day }) => day));
        expect(await differences(client, simulator.shop, { days })).toEqual([]);
      });
    }),
    { numRuns: RUNS },
  );
  expect(found).toBeGreaterThan(0);
});
