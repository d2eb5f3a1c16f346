/** Fields that a shop adds to every order, and extra fields of its forms. */
import { expect, test } from 'vitest';

import { readHiddenFields } from '../../../../src/warehouse/ops/payload-fields.ts';
import { FORCED, openShop } from '../../../support/shop.ts';
import { showFields } from '../../../support/show-fields.ts';
import { testedShopId } from '../../../support/sweep.ts';

const PRESENT = Temporal.Instant.from('2026-03-02T12:00:00Z');

test('a new field in all orders costs no content request, whenever their days are read again', async () => {
  const made = { orders: 120, days: 40, seed: 8, now: PRESENT };
  const { clock, differences, rows, shop, ...ground } = await openShop(made);
  const sweep = (kind: 'sync' | 'backfill') => ground.sweep({ kind, force: kind === 'backfill' });
  await sweep('backfill');
  clock.pass({ hours: 1 });
  await sweep('sync');
  for (const { orderId } of shop.orders()) shop.setRaw(orderId, { gift_wrap: String(orderId % 2) });
  // First the newest days, then all of them.
  for (const kind of ['sync', 'backfill'] as const) {
    clock.pass({ hours: 1 });
    const { content_requests, orders_changed, status } = await sweep(kind);
    expect({ status, contents: content_requests, changed: orders_changed }).toEqual({
      status: 'ok',
      contents: 0,
      changed: 0,
    });
  }
  expect(
    await rows("SELECT count(*)::int AS orders FROM tested.order_persons WHERE rest ? 'gift_wrap'"),
  ).toEqual([{ orders: 120 }]);
  expect(await differences()).toEqual([]);

  // One that changes as well is read again.
  const [order] = shop.orders();
  if (order !== undefined) shop.editOrder(order.orderId);
  for (const { orderId } of shop.orders()) shop.setRaw(orderId, { gift_wrap: '0', wrap_color: 'red' });
  clock.pass({ hours: 1 });
  const { content_requests } = await sweep('backfill');
  // Of half of them the value of the field of before changes, too.
  const odd = shop.orders().filter(({ orderId }) => orderId % 2 === 1 || orderId === order?.orderId);
  expect(content_requests).toBe(odd.length);
  expect(await differences()).toEqual([]);
});

test('a field that a first load meets only after an interruption does not count as new', async () => {
  const made = { orders: 40, days: 20, seed: 8, now: PRESENT };
  const { clock, rows, shop, simulator, ...ground } = await openShop(made);
  const { requests } = simulator;
  const [oldest] = shop.orders();
  shop.setRaw(oldest?.orderId ?? 0, { gift_wrap: '1' });
  const sweep = async (mustEnd = () => false) => {
    clock.pass({ hours: 1 });
    const request = { kind: 'backfill', force: true, mustEnd } as const;
    return (await ground.sweep(request, { pageLimit: 3 })).status;
  };
  const fields = async (which: string) => {
    return (await rows(`SELECT field FROM tested.payload_fields WHERE ${which}`)).map(({ field }) => field);
  };
  expect(await sweep(() => requests.count() > 0)).toBe('partial');
  const first = await fields('true');
  expect(first).toContain('order_id');
  expect(first, 'the oldest order is not read yet').not.toContain('gift_wrap');
  expect(await sweep()).toBe('ok');
  expect(await fields('true')).toContain('gift_wrap');
  expect(await fields('is_new')).toEqual([]);
});

test('a rejected value in the lines stays rejected when the order gets a new field', async () => {
  const { clock, rows, shop, sweep } = await openShop({ orders: 5, days: 5, seed: 8, now: PRESENT });
  const [orderId = 0] = shop.orders().map((order) => order.orderId);
  shop.setRawContent(orderId, [{ oid: '1_a', count: 'many' }]);
  expect(await sweep(FORCED)).toMatchObject({ new_rejections: 1 });
  clock.pass({ hours: 1 });
  for (const order of shop.orders()) shop.setRaw(order.orderId, { gift_wrap: '1' });
  expect(await sweep(FORCED)).toMatchObject({ content_requests: 0 });
  expect(await rows('SELECT field FROM tested.rejections WHERE resolved_at IS NULL')).toEqual([
    { field: 'count' },
  ]);
});

const field = (key: string, value = 'x') => ({ key, value, label: key });

test('a new field is hidden and reported until the owner decides; keys that do not look like keys are not reported', async () => {
  const { clock, db, rows, shop, ...ground } = await openShop({ orders: 3, days: 2, now: PRESENT });
  const sweep = async (pseudonymize?: { keptFields: readonly string[] }) => {
    clock.pass({ minutes: 10 });
    return ground.sweep(FORCED, pseudonymize ? { pseudonymize } : {});
  };
  const ids = shop.orders().map(({ orderId }) => orderId);
  for (const id of ids) shop.editOrder(id, { fields: [field('gift'), field('Anna Weber')] });
  await sweep();
  const shopId = await testedShopId(db);
  const hidden = async () =>
    (await readHiddenFields(db)).flatMap((found) => (found.shopId === shopId ? [found.key] : []));
  expect(await hidden()).toEqual(['gift']);
  const shown = () => rows('SELECT DISTINCT field_key AS key, value FROM tested.bi_order_fields ORDER BY 1');
  expect(await shown()).toEqual([{ key: null, value: '(hidden)' }]);

  await showFields(db, shopId, 'gift');
  expect(await hidden()).toEqual([]);
  expect(await shown()).toEqual([
    { key: 'gift', value: 'x' },
    { key: null, value: '(hidden)' },
  ]);
  shop.editOrder(ids[0] ?? 0, { fields: [field('wish')] });
  await sweep();
  expect(await hidden()).toEqual(['wish']);

  // Of those that are not stored nothing can be told.
  shop.editOrder(ids[1] ?? 0, { fields: [field('nick')] });
  await sweep({ keptFields: [] });
  expect(await hidden()).toEqual([]);
  expect(await shown()).toEqual([{ key: 'gift', value: 'x' }]);
});
