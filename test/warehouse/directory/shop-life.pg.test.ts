/** What becomes of a registered shop: whether it is synced, who may write it, and by which key it is known. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { TerminalError } from '../../../src/errors.ts';
import {
  assertNoFormerKey,
  findShop,
  listSyncedShops,
} from '../../../src/warehouse/directory/registered-shops.ts';
import {
  listShopsWithOrders,
  pauseShop,
  renameShop,
  restoreShop,
  resumeShop,
  retireShop,
  startDeletion,
} from '../../../src/warehouse/directory/shop-life.ts';
import { raiseAlerts } from '../../../src/warehouse/ops/alerts.ts';
import { fenced } from '../../../src/warehouse/ops/lease.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { heldLease } from '../../support/held-lease.ts';
import { at, orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

let warehouse: TestWarehouse;
let shopId: number;
let other: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());
beforeEach(async () => {
  shopId = await warehouse.newShop();
  other = await warehouse.newShop();
});

const row = async (shop: number) =>
  (await warehouse.rows(sql`SELECT * FROM core.shops WHERE shop_id = ${shop}`))[0];
const keyOf = async (shop: number) => String((await row(shop))?.['shop_key']);
/** Which of its marks it has. */
const marks = async (shop: number) => {
  const found = await row(shop);
  return ['retired_at', 'paused_at', 'resumed_at', 'deletion_started_at'].filter(
    (mark) => found?.[mark] !== null,
  );
};

test.each([
  ['retired', retireShop, 'retired_at'],
  ['paused', pauseShop, 'paused_at'],
] as const)(
  'a shop that is %s keeps the time, is written no more, and nobody is alerted of it',
  async (_how, stop, mark) => {
    const { db } = warehouse;
    const [lease, kept] = [
      await heldLease(db, shopId, 'one', 60_000),
      await heldLease(db, other, 'two', 60_000),
    ];
    const alerts = [shopId, other].map((shop) => ({ shopId: shop, cause: 'clock', text: 'wrong' }));
    await warehouse.write((tx) => raiseAlerts(tx, alerts, at('2026-03-01T00:00:00Z')));
    const before = await row(other);
    await stop(db, shopId);
    const first = (await row(shopId))?.[mark];
    await stop(db, shopId);
    expect([await marks(shopId), (await row(shopId))?.[mark], await row(other)]).toEqual([
      [mark],
      first,
      before,
    ]);
    await expect(fenced(db, lease, async () => Promise.resolve())).rejects.toThrow(
      /another process took over/,
    );
    await fenced(db, kept, async () => Promise.resolve());
    const open = await warehouse.rows(sql`
    SELECT shop_id FROM ops.alerts WHERE closed_at IS NULL AND shop_id IN (${shopId}, ${other})`);
    expect(open).toEqual([{ shop_id: other }]);
    const expires = await warehouse.rows(sql`
    SELECT expires_at <= clock_timestamp() AS is_over FROM ops.leases WHERE shop_id IN (${shopId}, ${other}) ORDER BY shop_id`);
    expect(expires).toEqual([{ is_over: true }, { is_over: false }]);
  },
);

test('a shop is synced again when it is resumed or restored; what was not stopped was never resumed', async () => {
  const { db } = warehouse;
  await resumeShop(db, shopId);
  expect(await marks(shopId)).toEqual([]);
  await pauseShop(db, shopId);
  await resumeShop(db, shopId);
  expect(await marks(shopId)).toEqual(['resumed_at']);
  const resumed = (await row(shopId))?.['resumed_at'];
  await resumeShop(db, shopId);
  expect((await row(shopId))?.['resumed_at']).toEqual(resumed);
  await pauseShop(db, shopId);
  await retireShop(db, shopId);
  await expect(resumeShop(db, shopId)).rejects.toThrow(/^it was retired: /);
  const synced = async () => (await listSyncedShops(db)).map((shop) => shop.shopId);
  expect([(await synced()).includes(shopId), (await synced()).includes(other)]).toEqual([false, true]);
  expect(await marks(shopId)).toEqual(['retired_at', 'paused_at', 'resumed_at']);
  await restoreShop(db, shopId);
  expect(await marks(shopId)).toEqual(['resumed_at']);
  expect((await row(shopId))?.['resumed_at']).not.toEqual(resumed);
  const lease = await heldLease(db, shopId, 'one', 60_000);
  await startDeletion(db, shopId);
  await expect(fenced(db, lease, async () => Promise.resolve())).rejects.toThrow(
    `took over shop ${lease.shopId};`,
  );
  const begun = await row(shopId);
  await startDeletion(db, shopId);
  expect([await row(shopId), await marks(shopId)]).toEqual([
    begun,
    ['retired_at', 'resumed_at', 'deletion_started_at'],
  ]);
  await expect(restoreShop(db, shopId)).rejects.toThrow(/^its deletion has begun, and cannot be undone/);
  expect(await marks(other)).toEqual([]);
});

test('a key that a shop has or had is no other shop’s; its own former one it may have again', async () => {
  const { db } = warehouse;
  const [first, second] = [await keyOf(shopId), await keyOf(other)];
  await expect(renameShop(db, shopId, first, second)).rejects.toThrow(
    `${second} is the key of another shop: choose another`,
  );
  await renameShop(db, shopId, first, `${first}-new`);
  await expect(renameShop(db, other, second, first)).rejects.toThrow(
    `${first} was the key of shop ${first}-new: choose another`,
  );
  await expect(assertNoFormerKey(db, first)).rejects.toThrow(TerminalError);
  await assertNoFormerKey(db, second);
  await renameShop(db, shopId, `${first}-new`, first);
  expect(await row(shopId)).toMatchObject({ shop_key: first, former_keys: [`${first}-new`] });
  expect((await findShop(db, first))?.shopId).toBe(shopId);
  expect([await findShop(db, `${first}-new`), await keyOf(other)]).toEqual([undefined, second]);
});

test('shops are listed by key with their orders, without deleted ones', async () => {
  const [first, second] = [await keyOf(shopId), await keyOf(other)];
  const given = ['1', '2', '3'].map((id) => orderToLoad(id, id === '3' ? { row: { created_on: null } } : {}));
  await warehouse.write((tx) => loadOrders(tx, shopId, given));
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN order_id = 1 THEN now() END
    WHERE shop_id = ${shopId} AND order_id < 3`);
  await renameShop(warehouse.db, other, second, `a-${second}`);
  await pauseShop(warehouse.db, other);
  const listed = await listShopsWithOrders(warehouse.db);
  expect(listed.map(({ shop }) => shop)).toEqual(listed.map(({ shop }) => shop).toSorted());
  const own = listed.filter(({ shop }) => shop === first || shop === `a-${second}`);
  const never = { retired_at: null, paused_at: null, deletion_started_at: null };
  const same = { base_url: 'https://shop.example', timezone: 'Europe/Berlin' };
  expect(own).toEqual([
    {
      ...same,
      ...never,
      shop: `a-${second}`,
      orders: 0,
      paused_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
    { ...same, ...never, shop: first, orders: 2 },
  ]);
});
