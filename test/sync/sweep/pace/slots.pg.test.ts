/** What goes on at once in a first load, so that no slot waits for another kind of request. */
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { MAX_BATCH } from '../../../../src/plan/load/allowance.ts';
import type { OrdersQuery } from '../../../../src/shop-api/endpoints/list-orders.ts';
import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import type { Simulator } from '../../../../src/simulator/server.ts';
import { GUEST_OID } from '../../../../src/simulator/shop/sim-users.ts';
import { patienceMs } from '../../../support/patience.ts';
import { openShop } from '../../../support/shop.ts';
import { sweepOnce } from '../../../support/sweep.ts';
import { until } from '../../../support/until.ts';

const NOW = Temporal.Instant.from('2026-03-02T12:00:00Z');
const LATE = Temporal.PlainDateTime.from('2026-03-02T12:59');
const ORDERS = 600;
/** Before the last hundreds of them. */
const LATER_WINDOWS = Temporal.PlainDateTime.from('2026-02-01');
const isLater = ({ dateTo }: OrdersQuery) =>
  dateTo !== undefined && Temporal.PlainDateTime.compare(dateTo, LATER_WINDOWS) < 0;
/** Contents that are fetched before a new shop's later lists are read. */
const AHEAD = 50;
/** Contents that were requested, by order. */
function countContents({ requests }: Simulator): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  requests.onRequest(({ route, path }) => {
    if (route === 'order') counts.set(path, (counts.get(path) ?? 0) + 1);
  });
  return counts;
}

test('contents are fetched while later windows are being read, and none twice if rows move', async () => {
  const made = { orders: ORDERS, days: 60, now: NOW, pageCap: 50 };
  const { db, differences, shop, simulator } = await openShop(made);
  const { requests } = simulator;
  const contents = countContents(simulator);
  const fetched = Promise.withResolvers<void>();
  let [lists, fetchedAhead] = [0, 0];
  requests.onRequest(({ route }) => {
    if (contents.size === AHEAD) fetched.resolve();
    if (route !== 'orders') return;
    lists++;
    if (lists % 3 === 0 && lists < 12) shop.insertOrder({ buyerOid: GUEST_OID, createdLocal: LATE });
  });
  // Held before the client, since a slow shop may be given a single slot.
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    async listOrders(query, ...others) {
      if (isLater(query) && fetchedAhead === 0) {
        await comes(fetched.promise);
        fetchedAhead = contents.size;
      }
      return api.listOrders(query, ...others);
    },
  });
  await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { through });
  await sweepOnce(simulator, db, { kind: 'sync' });
  expect(fetchedAhead).toBeGreaterThanOrEqual(AHEAD);
  expect(await differences()).toEqual([]);
  expect([...contents.values()].filter((asked) => asked > 1)).toEqual([]);
  expect(contents.size).toBe(shop.orders().length);
});

test("a new shop's lists are read though one of its first orders is not written, and its group tree beside them", async () => {
  const made = { orders: ORDERS, days: 60, now: NOW, pageCap: 30 };
  const { db, differences, shop, simulator } = await openShop(made);
  const [grouped, listed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [first, held] = [0, -150].map((at) => String(shop.orders().at(at)?.orderId));
  let storedBefore: number | undefined;
  // Requests side by side ask for it, each by a connection of its own.
  const countStored = async () =>
    Number((await db.execute('SELECT count(*) FROM tested.orders')).rows[0]?.count);
  const beside: { groups?: Promise<boolean>; lists?: Promise<boolean> } = {};
  const through = (api: ShopApi): ShopApi => ({
    ...api,
    async groups(...asked) {
      storedBefore ??= await countStored();
      grouped.resolve();
      return api.groups(...asked);
    },
    async listOrders(query, ...asked) {
      // By then more is listed than the batch with which the tree may begin.
      if (isLater(query)) {
        await (beside.groups ??= until(
          'a batch is written',
          async () => (await countStored()) >= MAX_BATCH,
        ).then(() => comes(grouped.promise)));
      }
      const page = await api.listOrders(query, ...asked);
      if (page.rows.some(({ orderId }) => orderId === first)) listed.resolve();
      return page;
    },
    async orderContent(orderId, ...asked) {
      const content = await api.orderContent(orderId, ...asked);
      // Those before it are more than one batch, with which the tree may begin.
      if (orderId === held) await (beside.lists ??= comes(listed.promise));
      return content;
    },
  });
  await sweepOnce(simulator, db, { kind: 'backfill' }, {}, { through });
  expect(await beside.groups).toBe(true);
  expect(storedBefore).toBeGreaterThan(0);
  expect(await beside.lists).toBe(true);
  expect(await differences()).toEqual([]);
});

/** Whether it comes while the sweep waits for it. */
async function comes(awaited: Promise<unknown>): Promise<boolean> {
  return Promise.race([awaited.then(() => true), sleep(patienceMs(), false, { ref: false })]);
}
