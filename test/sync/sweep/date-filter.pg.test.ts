import { expect, test } from 'vitest';

import { daysThatAre, withShop } from '../../support/shop.ts';

const now = Temporal.Instant.from('2026-03-05T12:00:00Z');

test.each(['updated', 'ignored'] as const)(
  'a list whose date filter is %s is refused: no day counts as verified by it, and what it shows is loaded',
  (dateFilter) =>
    withShop({ orders: 300, days: 400, seed: 5, now, dialect: { dateFilter } }, async ({ client, sweep }) => {
      const narrow = { pageLimit: 20 };
      await expect(sweep({ kind: 'backfill' }, narrow)).rejects.toThrow(
        dateFilter === 'updated' ? /date of their last change/ : /ignores date_from and date_to/,
      );
      const { rows } = await client.query('SELECT kind, status FROM tested.runs');
      expect(rows).toEqual([{ kind: 'backfill', status: 'failed' }]);
      expect(await daysThatAre('verified', client)).toEqual([]);
      const { rows: loaded } = await client.query('SELECT 1 FROM tested.orders');
      expect(loaded.length).toBeGreaterThanOrEqual(20);
    }),
);

test('a single order with a very old date is loaded, and leaves only the day that it shows unverified', () =>
  withShop({ orders: 60, days: 20, seed: 6, now }, async ({ client, simulator, sweep }) => {
    const odd = simulator.shop.orders()[30]?.orderId ?? 0;
    simulator.shop.setRaw(odd, { created: '01.01.1990' });
    const swept = await sweep();
    expect(swept).toMatchObject({ status: 'partial', orders_new: 60 });
    expect(swept.problems).toEqual([
      `order ${odd} was listed with a time of this day, but not with the orders of this day`,
    ]);
    expect(await daysThatAre('open', client)).toEqual(['1990-01-01']);
    const { rows } = await client.query('SELECT created_on::text FROM tested.orders WHERE order_id = $1', [
      odd,
    ]);
    expect(rows).toEqual([{ created_on: '1990-01-01' }]);
  }));

test.each([{ time: '' }, { time: '24:00' }, { time: '03:59' }])(
  'an order of a quiet day that shows an odd time costs no more than its own day: %j',
  (raw) =>
    withShop({ orders: 200, days: 20, seed: 6, now }, async ({ client, clock, simulator, sweep }) => {
      const { shop } = simulator;
      const day = Temporal.PlainDate.from('2026-03-04');
      const ofDay = shop.orders().filter(({ createdLocal }) => createdLocal.toPlainDate().equals(day));
      const odd = ofDay.at(-1)?.orderId ?? 0;
      shop.setRaw(odd, raw);
      for (const kind of ['backfill', 'sync', 'sync'] as const) {
        clock.pass({ minutes: 6 });
        if (kind === 'sync')
          shop.insertOrder({
            createdLocal: clock.now().toZonedDateTimeISO('Europe/Berlin').toPlainDateTime(),
          });
        await sweep({ kind });
        const others = (await daysThatAre('open', client)).filter((text) => text !== String(day));
        expect(others).toEqual([]);
        const { rows } = await client.query('SELECT count(*)::int AS orders FROM tested.orders');
        expect(rows).toEqual([{ orders: shop.orders().length }]);
      }
    }),
);
