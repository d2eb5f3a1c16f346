/** When a shop counts as complete: `completed_at` is what status, metrics and alerts go by. */
import type { Client } from 'pg';
import { expect, test } from 'vitest';

import { UnavailableError } from '../../../src/model/errors.ts';
import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import type { SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { OF_TEST_SHOP } from '../../support/sweep.ts';
import { hiding } from '../support/hiding.ts';
import { FORCED, idAt, withCopy } from '../support/copy.ts';
import { withShop } from '../../support/shop.ts';

/** Minutes past 18:00 UTC, as `completed/ok`; empty for never. */
async function ends(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ ends: string }>(
    `SELECT concat_ws('/', to_char(completed_at AT TIME ZONE 'UTC', 'MI'), to_char(ok_at AT TIME ZONE 'UTC', 'MI')) AS ends
     FROM ops.shop_state WHERE ${OF_TEST_SHOP}`,
  );
  return rows[0]?.ends;
}

/** A shop that requests a pause of a minute and a half. */
const pausing = (api: ShopApi): ShopApi => ({
  ...api,
  listOrders: () => Promise.reject(new UnavailableError('busy', { retryAfterMs: 90_000 })),
});

test('a sweep that leaves a day due, in whatever way, does not make the shop complete', () =>
  withCopy(40, async ({ simulator, client, clock, sweep }) => {
    expect(await ends(client)).toBe('00/00');
    const omitting = hiding(new Set([idAt(simulator, 12)]), 'list');
    expect(await sweep({ through: omitting })).toMatchObject({
      status: 'partial',
      problems: [expect.anything()],
    });
    expect(await ends(client), 'an order is in doubt').toBe('00/00');

    clock.pass({ minutes: 1 });
    expect(await sweep({ request: { ...FORCED, budgetMs: 0 } })).toMatchObject({ is_cut: true });
    expect(await ends(client), 'time is up').toBe('00/00');

    clock.pass({ minutes: 1 });
    expect(await sweep({ through: pausing })).toMatchObject({ status: 'partial' });
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'partial', requests: 0 });
    expect(await ends(client), 'a pause was requested').toBe('00/00');

    clock.pass({ minutes: 1 });
    const first = simulator.shop.orders()[0]?.createdLocal.toPlainDate();
    expect(await sweep({ request: { ...FORCED, to: first } })).toMatchObject({ status: 'ok' });
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok', problems: [] });
    expect(await ends(client)).toBe('06/06');
  }));

test('a record that cannot be read leaves the shop complete, and the sweep partial', () =>
  withCopy(20, async ({ simulator, client, sweep }) => {
    simulator.shop.editOrder(idAt(simulator, 3), { status: 'C' });
    simulator.shop.setRaw(idAt(simulator, 3), { summ: 'a lot' });
    expect(await sweep()).toMatchObject({ status: 'partial', new_rejections: 1 });
    expect(await ends(client)).toBe('01/00');
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await ends(client)).toBe('01/01');
  }));

test('the result of a sweep of all days is not undone by a partial sweep, or by one that leaves days due', () =>
  withCopy(100, async ({ simulator, client, clock, sweep }) => {
    const causes = async () => {
      const { rows } = await client.query<{ cause: string }>(
        `SELECT jsonb_object_keys(findings) AS cause FROM ops.shop_state WHERE ${OF_TEST_SHOP} ORDER BY cause`,
      );
      return rows.map(({ cause }) => cause);
    };
    const orders = simulator.shop.orders();
    const hidden = new Set(orders.slice(30, 80).map(({ orderId }) => orderId));
    expect(await sweep({ through: hiding(hidden, 'list') })).toMatchObject({ status: 'partial' });
    expect(await causes()).toEqual(['deletions']);
    clock.pass({ minutes: 1 });
    const [first, last] = [orders[0], orders.at(-1)].map((order) => order?.createdLocal.toPlainDate());
    for (const part of [{ from: last }, { to: first }]) {
      expect(await sweep({ request: { ...FORCED, ...part } })).toMatchObject({ status: 'ok', days_due: 1 });
      expect(await causes()).toEqual(['deletions']);
    }
    await sweep({ request: { ...FORCED, budgetMs: 0 } });
    expect(await causes()).toEqual(['deletions']);
    clock.pass({ minutes: 1 });
    expect(await sweep()).toMatchObject({ status: 'ok' });
    expect(await causes()).toEqual([]);

    clock.pass({ minutes: 1 });
    simulator.faults.failNext(Infinity, 'http-401');
    await expect(sweep()).rejects.toThrow('401');
    simulator.faults.clear();
    expect(await causes()).toEqual(['credentials']);
    clock.pass({ minutes: 1 });
    await sweep({ through: pausing });
    expect(await causes(), 'a shop that asks for a pause may refuse the login all the same').toEqual([
      'credentials',
    ]);
    clock.pass({ hours: 1 });
    await sweep();
    expect(await causes()).toEqual([]);
  }));

test('a sweep of some days reports only those, whatever else is unread', () =>
  withShop({ orders: 40, days: 5, seed: 4 }, async ({ clock, ...ground }) => {
    const settings = { freshness: parseFreshness('*:10m') };
    const sweep = (request: SweepRequest) => ground.sweep(request, settings);
    expect(await sweep({ kind: 'sync', budgetMs: 0 })).toMatchObject({
      status: 'partial',
      is_beginning_due: true,
    });
    const today = Temporal.PlainDate.from('2026-03-10');
    expect(await sweep({ kind: 'backfill', from: today, to: today })).toMatchObject({
      status: 'ok',
      days_due: 1,
      is_beginning_due: false,
      days_verified: 1,
    });
    expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok', is_beginning_due: false });

    // Only what runs by itself takes days a little early.
    clock.pass({ minutes: 9, seconds: 40 });
    expect(await sweep({ kind: 'backfill' })).toMatchObject({ days_due: 0 });
    expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok', days_due: 6 });
  }));
