/** Changes at random, at any age: whatever alters a count is in the warehouse two syncs later. */
import * as fc from 'fast-check';
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import { makeShopInProcess } from '../../../support/in-process-shop.ts';
import { inWarehouse, sweepOnce, testClock, withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const MINUTE = 60_000;
const RUNS = (process.env['TEST_LONG'] ?? '') === '' ? 6 : 100;
const STATUSES = ['A', 'C', 'F', 'K', 'P', ''];

type Change = {
  readonly kind: 'edit' | 'pay' | 'delete' | 'insert' | 'move' | 'cancel';
  readonly at: number;
  readonly code: number;
};

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('edit', 'pay', 'delete', 'insert', 'move', 'cancel'),
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

/** How many orders there are of the counted days: by status, by payment status, and together. */
function tally(
  orders: readonly { readonly status: string; readonly payStatus: string }[],
): Readonly<Record<string, number>> {
  const keys = orders.flatMap(({ status, payStatus }) => ['all', `status ${status}`, `pay ${payStatus}`]);
  return Object.fromEntries(
    [...Map.groupBy(keys.toSorted(), (key) => key)].map(([key, all]) => [key, all.length]),
  );
}

const inShop = ({ shop }: Simulator) =>
  tally(shop.orders().filter(({ createdLocal }) => createdLocal.toPlainDate().toString() <= COUNTED));

async function inWarehouseNow(client: Client) {
  const { rows } = await client.query<{ status: string; payStatus: string }>(
    `SELECT status_code AS status, pay_status_code AS "payStatus" FROM tested.orders
     WHERE created_on <= $1 AND missing_since IS NULL AND deleted_at IS NULL`,
    [COUNTED],
  );
  return tally(rows);
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

test('whatever alters a count is in the warehouse after two syncs, and no day is verified by counts', async () => {
  const changes = fc.array(change, { minLength: 1, maxLength: 12 });
  const given = fc.record({ seed: fc.nat(1_000), changes, drift: fc.array(change, { maxLength: 4 }) });
  let found = 0;
  await fc.assert(
    fc.asyncProperty(given, async ({ seed, changes, drift }) => {
      const clock = testClock(NOW);
      await using simulator = makeShopInProcess({ orders: 150, days: 150, now: NOW, seed });
      await inWarehouse(async ({ client, db }) => {
        const through = drifting(simulator, [...drift]);
        const sync = async () => {
          clock.pass({ minutes: 1 });
          await sweepOnce(
            simulator,
            db,
            { kind: 'sync' },
            { countEveryMs: MINUTE },
            { now: clock.now, through },
          );
        };
        await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now: clock.now, through: withoutGroups });
        const loadedAt = clock.now();
        for (const each of changes) apply(simulator, each);
        found += Number(JSON.stringify(inShop(simulator)) !== JSON.stringify(await inWarehouseNow(client)));
        // What changes during the first is found by the second and the third.
        for (let count = 0; count < 3; count++) await sync();
        expect(await inWarehouseNow(client)).toEqual(inShop(simulator));
        const { rows } = await client.query<{ day: string }>(
          'SELECT day::text FROM tested.days WHERE verified_at > $1',
          [loadedAt.add({ minutes: 2 }).toString()],
        );
        const days = new Set(rows.map(({ day }) => day));
        expect(await differences(client, simulator.shop, { days })).toEqual([]);
      });
    }),
    { numRuns: RUNS },
  );
  expect(found).toBeGreaterThan(0);
});
