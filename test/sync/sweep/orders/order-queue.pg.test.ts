import { expect, test } from 'vitest';

import type { ShopApi } from '../../../../src/shop-api/shop-api.ts';
import { isBefore } from '../../../../src/model/window.ts';
import { sweepOnce, withoutGroups } from '../../../support/sweep.ts';
import { differences } from '../../../support/truth.ts';
import { withShop } from '../../../support/shop.ts';

const PRESENT = Temporal.Instant.from('2026-03-10T20:00:00Z');
test('a process that resumes a stopped one requests no content that was written', () =>
  withShop({ orders: 150, days: 1, now: PRESENT, pageCap: 50 }, async ({ client, db, means, simulator }) => {
    const { requests, shop } = simulator;
    const stop = new AbortController();
    let came = 0;
    const through = (api: ShopApi): ShopApi => ({
      ...withoutGroups(api),
      async orderContent(...asked) {
        const content = await api.orderContent(...asked);
        if (++came === 30) stop.abort(new Error('stopped'));
        return content;
      },
    });
    const ended = sweepOnce(
      simulator,
      db,
      { kind: 'backfill' },
      {},
      { ...means, signal: stop.signal, through },
    );
    await expect(ended).rejects.toThrow('stopped');
    const { rows } = await client.query('SELECT count(*)::int AS stored FROM tested.orders');
    expect(rows[0].stored).toBeGreaterThanOrEqual(30);
    expect(rows[0].stored).toBeLessThan(150);
    const before = requests.count('order');
    expect(await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means)).toMatchObject({ status: 'ok' });
    expect(requests.count('order') - before).toBe(150 - rows[0].stored);
    expect(await differences(client, shop)).toEqual([]);
  }));

test('an order that moves to earlier days while they are read is stored as it was listed last', () =>
  withShop({ orders: 60, days: 10, seed: 4, now: PRESENT }, async ({ client, db, simulator }) => {
    const { shop } = simulator;
    // Apart, so that each is read by itself.
    const days = ['2026-03-08', '2026-03-06', '2026-03-04'].map((day) => Temporal.PlainDate.from(day));
    const [moving = 0, ...others] = days.map(
      (day) => shop.insertOrder({ createdLocal: day.toPlainDateTime('10:00') }).orderId,
    );
    let ticks = 0;
    const now = () => PRESENT.add({ milliseconds: ticks++ });
    const sweep = (through = withoutGroups) =>
      sweepOnce(simulator, db, { kind: 'backfill' }, {}, { now, through });
    await sweep();
    await client.query('UPDATE tested.days SET verified_at = NULL WHERE day = ANY ($1)', [days.map(String)]);
    for (const orderId of [moving, ...others]) shop.editOrder(orderId);
    // It moves when its content is asked for, which comes only when the list of its next day is being loaded.
    const isAsked = days.map(() => Promise.withResolvers<void>());
    const isListed = others.map(() => Promise.withResolvers<void>());
    let [moves, asked] = [0, 0];
    const result = await sweep((api) => ({
      ...withoutGroups(api),
      async listOrders(query, signal) {
        const next = days[moves + 1];
        if (next && query.dateTo && isBefore(query.dateTo, next.add({ days: 2 }).toPlainDateTime())) {
          await isAsked[moves++]?.promise;
          shop.moveOrder(moving, next.toPlainDateTime('12:00'));
        }
        return api.listOrders(query, signal);
      },
      async orderContent(orderId, signal) {
        if (orderId === String(moving)) {
          isAsked[asked]?.resolve();
          await isListed[asked++]?.promise;
        }
        const content = await api.orderContent(orderId, signal);
        isListed[others.indexOf(Number(orderId))]?.resolve();
        return content;
      },
    }));
    // The days that it left are read again.
    expect(result).toMatchObject({ status: 'partial' });
    expect(asked).toBe(days.length);
    expect(await differences(client, shop)).toEqual([]);
    expect(await sweep()).toMatchObject({ status: 'ok' });
  }));
