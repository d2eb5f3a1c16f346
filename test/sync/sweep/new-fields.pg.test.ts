/** An update of the shop that adds a field to every order: no order has changed by that. */
import { expect, test } from 'vitest';

import { differences } from '../../support/truth.ts';
import { FORCED } from '../support/copy.ts';
import { withShop } from '../../support/shop.ts';

const PRESENT = Temporal.Instant.from('2026-03-02T12:00:00Z');

test('a new field in all orders costs no content request, whenever their days are read again', () =>
  withShop(
    { orders: 120, days: 40, seed: 8, now: PRESENT },
    async ({ client, clock, simulator, ...ground }) => {
      const { shop } = simulator;
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
      const { rows } = await client.query(
        "SELECT count(*)::int AS orders FROM tested.order_persons WHERE rest ? 'gift_wrap'",
      );
      expect(rows).toEqual([{ orders: 120 }]);
      expect(await differences(client, shop)).toEqual([]);

      // One that changes as well is read again.
      const [order] = shop.orders();
      if (order !== undefined) shop.editOrder(order.orderId);
      for (const { orderId } of shop.orders()) shop.setRaw(orderId, { gift_wrap: '0', wrap_color: 'red' });
      clock.pass({ hours: 1 });
      const { content_requests } = await sweep('backfill');
      // Of half of them the value of the field of before changes, too.
      const odd = shop.orders().filter(({ orderId }) => orderId % 2 === 1 || orderId === order?.orderId);
      expect(content_requests).toBe(odd.length);
      expect(await differences(client, shop)).toEqual([]);
    },
  ));

test('a field that a first load meets only after an interruption does not count as new', () =>
  withShop(
    { orders: 40, days: 20, seed: 8, now: PRESENT },
    async ({ client, clock, simulator, ...ground }) => {
      const { requests, shop } = simulator;
      const [oldest] = shop.orders();
      shop.setRaw(oldest?.orderId ?? 0, { gift_wrap: '1' });
      const sweep = async (mustEnd = () => false) => {
        clock.pass({ hours: 1 });
        const request = { kind: 'backfill', force: true, mustEnd } as const;
        return (await ground.sweep(request, { pageLimit: 3 })).status;
      };
      const fields = async (which: string) => {
        const { rows } = await client.query(`SELECT field FROM tested.payload_fields WHERE ${which}`);
        return rows.map(({ field }) => field);
      };
      expect(await sweep(() => requests.count() > 0)).toBe('partial');
      const first = await fields('true');
      expect(first).toContain('order_id');
      expect(first, 'the oldest order is not read yet').not.toContain('gift_wrap');
      expect(await sweep()).toBe('ok');
      expect(await fields('true')).toContain('gift_wrap');
      expect(await fields('is_new')).toEqual([]);
    },
  ));

test('a rejected value in the lines stays rejected when the order gets a new field', () =>
  withShop({ orders: 5, days: 5, seed: 8, now: PRESENT }, async ({ client, clock, simulator, sweep }) => {
    const { shop } = simulator;
    const [orderId = 0] = shop.orders().map((order) => order.orderId);
    shop.setRawContent(orderId, [{ oid: '1_a', count: 'many' }]);
    expect(await sweep(FORCED)).toMatchObject({ new_rejections: 1 });
    clock.pass({ hours: 1 });
    for (const order of shop.orders()) shop.setRaw(order.orderId, { gift_wrap: '1' });
    expect(await sweep(FORCED)).toMatchObject({ content_requests: 0 });
    const { rows } = await client.query('SELECT field FROM tested.rejections WHERE resolved_at IS NULL');
    expect(rows).toEqual([{ field: 'count' }]);
  }));
