/** How far back a shop's orders are loaded, and what nobody can know of its customers until all of them are. */
import { expect, test } from 'vitest';

import { makeShopInProcess } from '../support/in-process-shop.ts';
import { inWarehouse, type Opened, sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import { factsOf, salesOf } from './facts.ts';
import { groups } from './exact.ts';

const PRESENT = Temporal.Instant.from('2026-11-16T12:00:00Z');
const OCTOBER = Temporal.PlainDate.from('2026-10-01');

const make = () => makeShopInProcess({ orders: 150, days: 120, seed: 5, now: PRESENT });

/** What the views say of October, and of the customers as a whole. */
async function said({ client }: Pick<Opened, 'client'>) {
  const { rows } = await client.query(`
    SELECT
      (SELECT history_from::text FROM tested.bi_shops) AS history_from,
      (SELECT array_agg(DISTINCT history_from::text) FROM tested.bi_daily_sales) AS of_days,
      d.*,
      (SELECT count(*)::int FROM tested.bi_customers WHERE is_repeat) AS repeat,
      (SELECT count(*)::int FROM tested.bi_customers WHERE NOT is_repeat) AS once,
      (SELECT array_agg(DISTINCT cohort_month::text) FROM tested.bi_cohorts_monthly) AS cohorts,
      (SELECT count(*)::int FROM tested.bi_cohort_revenue) AS cohort_revenue,
      (SELECT count(*)::int FROM tested.bi_customer_rfm WHERE segment = 'new') AS new_segment
    FROM (
      SELECT sum(new_customers)::int AS new, sum(returning_customers)::int AS returning, bool_and(is_verified) AS verified
      FROM tested.bi_daily_sales WHERE order_date BETWEEN '2026-10-01' AND '2026-10-31'
    ) d`);
  return rows[0] as Record<string, unknown>;
}

const UNKNOWN = { new: null, returning: null, cohorts: [null], cohort_revenue: 0, new_segment: 0, once: 0 };

test('while older orders are not loaded, nobody knows who is new; with all of them, the figures are right', async () => {
  await inWarehouse(async (opened) => {
    await using simulator = make();
    const facts = salesOf(factsOf(simulator.shop.orders()));
    const customers = groups(facts, ({ customer }) => [customer]);
    const firstDays = customers.map((own) => own.map(({ day }) => day).toSorted()[0] ?? '');
    const isInOctober = (day: string) => day.startsWith('2026-10');
    const sinceOctober = customers.filter((own) => own.some(({ day }) => day >= '2026-10-01'));
    const boughtTwice = sinceOctober.filter((own) => own.filter(({ day }) => day >= '2026-10-01').length > 1);
    const wronglyNew = sinceOctober.filter((own) => own.every(({ day }) => day >= '2026-10-01'));
    expect(wronglyNew.length, 'some bought before').toBeLessThan(sinceOctober.length);

    const clock = testClock(PRESENT);
    const means = { now: clock.now, through: withoutGroups };
    await sweepOnce(simulator, opened.db, { kind: 'backfill', from: OCTOBER }, {}, means);
    expect(await said(opened)).toMatchObject({
      ...UNKNOWN,
      history_from: '2026-10-01',
      of_days: ['2026-10-01'],
      verified: true,
      repeat: boughtTwice.length,
    });

    clock.pass({ minutes: 1 });
    await sweepOnce(simulator, opened.db, { kind: 'backfill' }, {}, means);
    const october = facts.filter(({ day }) => isInOctober(day));
    const buyersByDay = groups(october, ({ day, currency }) => [day, currency]).map(
      (sales) => new Set(sales.map(({ customer }) => customer)).size,
    );
    const isNew = firstDays.filter(isInOctober).length;
    expect(await said(opened)).toMatchObject({
      history_from: null,
      of_days: [null],
      verified: true,
      new: isNew,
      returning: buyersByDay.reduce((sum, one) => sum + one, 0) - isNew,
      repeat: customers.filter((own) => own.length > 1).length,
      once: customers.filter((own) => own.length === 1).length,
      cohorts: [...new Set(firstDays.map((day) => `${day.slice(0, 7)}-01`))].toSorted(),
    });
  });
});

test('a shop with SHOP_HISTORY_FROM has history_from too', async () => {
  await inWarehouse(async (opened) => {
    await using simulator = make();
    const clock = testClock(PRESENT);
    const means = { now: clock.now, through: withoutGroups };
    await sweepOnce(simulator, opened.db, { kind: 'sync' }, { historyFrom: OCTOBER }, means);
    expect(await said(opened)).toMatchObject({ ...UNKNOWN, history_from: '2026-10-01', verified: true });
    clock.pass({ minutes: 1 });
    const earlier = { historyFrom: OCTOBER.subtract({ months: 1 }) };
    await sweepOnce(simulator, opened.db, { kind: 'sync' }, earlier, means);
    expect(await said(opened)).toMatchObject({ ...UNKNOWN, history_from: '2026-09-01', verified: true });
    clock.pass({ minutes: 1 });
    await sweepOnce(simulator, opened.db, { kind: 'sync' }, {}, means);
    const [{ orders } = { orders: 0 }] = (
      await opened.client.query<{ orders: number }>('SELECT count(*)::int AS orders FROM tested.bi_orders')
    ).rows;
    expect(orders, 'the setting is gone').toBe(simulator.shop.orders().length);
    expect(await said(opened)).toMatchObject({ history_from: null, verified: true });
  });
});
