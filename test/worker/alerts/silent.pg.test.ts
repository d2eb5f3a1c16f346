import { expect } from 'vitest';

import { test } from '../../support/fixtures.ts';
import { makeShopInProcess } from '../../support/in-process-shop.ts';
import { sweepOnce, testClock, withoutGroups } from '../../support/sweep.ts';
import { brief, withLoadedShop } from './loaded-shop.ts';

test('a shop whose orders stop is told of, and told of no more when the next one comes', async () => {
  await withLoadedShop(async ({ client, clock, simulator, sweep, told }) => {
    const even = (parts: number) => Array.from({ length: parts }, () => 1 / parts);
    const rhythm = { per_week: 140, by_weekday: even(7), by_hour: even(24), longest: 6 };
    const silentFor = async (hours: number) => {
      clock.pass({ hours });
      await sweep();
      // The shop itself is too young to have one.
      await client.query(`UPDATE tested.shop_figures SET rhythm = $1`, [JSON.stringify(rhythm)]);
      return (await told()).filter(({ cause }) => cause === 'silent');
    };
    // One that is dated ahead is no sign that orders come.
    const later = clock.now().toZonedDateTimeISO('Europe/Berlin').toPlainDateTime().add({ days: 30 });
    simulator.shop.insertOrder({ createdLocal: later });
    // Twenty a day, and five times six are too many.
    expect(await silentFor(24)).toEqual([]);
    const [note, ...others] = await silentFor(14);
    expect(others).toEqual([]);
    expect(note).toMatchObject({
      event: 'raised',
      text: expect.stringMatching(/has taken no order for 1 d 1\d h, in which about 3\d are usual/),
    });
    const now = clock.now().toZonedDateTimeISO('Europe/Berlin').toPlainDateTime();
    simulator.shop.insertOrder({ createdLocal: now.subtract({ minutes: 5 }) });
    expect((await silentFor(0)).map(brief)).toEqual(['silent recovered']);
  });
});

test('a rhythm is learned once a day, from what the warehouse holds', async ({ shared: { client, db } }) => {
  const now = Temporal.Instant.from('2026-03-20T20:00:00Z');
  await using simulator = makeShopInProcess({ orders: 350, days: 70, seed: 5, now });
  const clock = testClock(now);
  const means = { now: clock.now, through: withoutGroups };
  await sweepOnce(simulator, db, { kind: 'backfill' }, {}, means);
  const { rows } = await client.query('SELECT rhythm FROM tested.shop_figures');
  const { rhythm } = rows[0] as { rhythm: Record<string, number[]> };
  const last = simulator.shop
    .orders()
    .map(({ createdLocal }) => createdLocal.toPlainDate().toString())
    .toSorted()
    .at(-1);
  const until = Temporal.PlainDate.from(last ?? '');
  const learned = simulator.shop.orders().filter(({ createdLocal }) => {
    const days = createdLocal.toPlainDate().until(until).days;
    return days >= 1 && days <= 56;
  });
  expect(rhythm['per_week']).toBeCloseTo(learned.length / 8, 9);
  const onMondays = learned.filter(({ createdLocal }) => createdLocal.dayOfWeek === 1).length;
  expect(rhythm['by_weekday']?.[0]).toBeCloseTo(onMondays / learned.length, 9);
  const atNoon = learned.filter(({ createdLocal }) => createdLocal.hour === 12).length;
  expect(rhythm['by_hour']?.[12]).toBeCloseTo(atNoon / learned.length, 9);
});
