/** What becomes of a registered shop: whether it is synced, who may write it, and by which key it is known. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { listKeptShops } from '../../../src/warehouse/directory/registered-shops.ts';
import {
  listShopsWithOrders,
  pauseShop,
  resumeShop,
  startDeletion,
} from '../../../src/warehouse/directory/shop-life.ts';
import { raiseAlerts } from '../../../src/warehouse/ops/alerts.ts';
import { fenced } from '../../../src/warehouse/ops/lease.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { heldLease } from '../../support/held-lease.ts';
import { at, orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();
let shopId: number;
let other: number;
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
  return ['paused_at', 'resumed_at', 'deletion_started_at'].filter((mark) => found?.[mark] !== null);
};

test('a paused shop keeps the time of the pause, is not written, and raises no alert', async () => {
  const { db } = warehouse;
  const [lease, kept] = [await heldLease(db, shopId, 'one'), await heldLease(db, other, 'two')];
  const alerts = [shopId, other].map((shop) => ({ shopId: shop, cause: 'clock', text: 'wrong' }));
  await warehouse.write((tx) => raiseAlerts(tx, alerts, at('2026-03-01T00:00:00Z')));
  const before = await row(other);
  await pauseShop(db, shopId);
  const first = (await row(shopId))?.['paused_at'];
  await pauseShop(db, shopId);
  expect([await marks(shopId), (await row(shopId))?.['paused_at'], await row(other)]).toEqual([
    ['paused_at'],
    first,
    before,
  ]);
  await expect(fenced(db, lease, async () => Promise.resolve())).rejects.toThrow(/another process took over/);
  await fenced(db, kept, async () => Promise.resolve());
  const open = await warehouse.rows(sql`
    SELECT shop_id FROM ops.alerts WHERE closed_at IS NULL AND shop_id IN (${shopId}, ${other})`);
  expect(open).toEqual([{ shop_id: other }]);
  const expires = await warehouse.rows(sql`
    SELECT expires_at <= clock_timestamp() AS is_over FROM ops.leases WHERE shop_id IN (${shopId}, ${other}) ORDER BY shop_id`);
  expect(expires).toEqual([{ is_over: true }, { is_over: false }]);
});

test('a resumed shop is synced again, and one that was never paused has no time of resumption', async () => {
  const { db } = warehouse;
  await resumeShop(db, shopId);
  expect(await marks(shopId)).toEqual([]);
  await pauseShop(db, shopId);
  await resumeShop(db, shopId);
  expect(await marks(shopId)).toEqual(['resumed_at']);
  const resumed = (await row(shopId))?.['resumed_at'];
  await resumeShop(db, shopId);
  expect((await row(shopId))?.['resumed_at']).toEqual(resumed);
  const lease = await heldLease(db, shopId, 'one');
  await startDeletion(db, shopId);
  await expect(fenced(db, lease, async () => Promise.resolve())).rejects.toThrow(
    `took over shop ${lease.shopId};`,
  );
  const begun = await row(shopId);
  await startDeletion(db, shopId);
  expect([await row(shopId), await marks(shopId)]).toEqual([begun, ['resumed_at', 'deletion_started_at']]);
  const kept = (await listKeptShops(db)).map((shop) => shop.shopId);
  expect([kept.includes(shopId), kept.includes(other)]).toEqual([false, true]);
  expect(await marks(other)).toEqual([]);
});

test('shops are listed by key with their orders, without deleted ones', async () => {
  const [first, second] = [await keyOf(shopId), await keyOf(other)];
  const given = ['1', '2', '3'].map((id) => orderToLoad(id, id === '3' ? { row: { created_on: null } } : {}));
  await warehouse.write((tx) => loadOrders(tx, shopId, given));
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN order_id = 1 THEN now() END
    WHERE shop_id = ${shopId} AND order_id < 3`);
  await warehouse.rows(sql`UPDATE core.shops SET shop_key = ${`a-${second}`} WHERE shop_id = ${other}`);
  await pauseShop(warehouse.db, other);
  const listed = await listShopsWithOrders(warehouse.db);
  expect(listed.map(({ shop }) => shop)).toEqual(listed.map(({ shop }) => shop).toSorted());
  const own = listed.filter(({ shop }) => shop === first || shop === `a-${second}`);
  const never = { paused_at: null, deletion_started_at: null };
  const same = { base_url: 'https://shop.example', timezone: 'Europe/Berlin' };
  expect(own).toEqual([
    {
      ...same,
      ...never,
      shop: `a-${second}`,
      orders: 0,
      is_read: false,
      paused_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
    { ...same, ...never, shop: first, orders: 2, is_read: true },
  ]);
});
