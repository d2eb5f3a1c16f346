import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';

import { OF_TESTED, fileWarehouse } from '../warehouse/test-warehouse.ts';
import { percent } from './exact.ts';
import { PLACED_AT, type State, walkOrders, type Walked, WALKS } from './walked-orders.ts';
import { viewRows } from '../support/view-rows.ts';

const warehouse = fileWarehouse();
let walked: ReadonlyMap<string, Walked>;

beforeAll(async () => {
  walked = await walkOrders(warehouse);
});

const NAMES: Readonly<Record<string, readonly [stage: string, name: string]>> = {
  A: ['open', 'Accepted'],
  N: ['open', 'Confirmed'],
  V: ['open', 'Question'],
  P: ['fulfilment', 'Being assembled'],
  O: ['fulfilment', 'Dispatched'],
  C: ['delivered', 'Delivered'],
  Q: ['delivered', 'Review requested'],
  F: ['cancelled', 'Cancelled'],
  R: ['returned', 'Returned at pickup'],
  X: ['unknown', 'X'],
};
const stageOf = (status: string) => NAMES[status]?.[0];
const hours = (from: Temporal.Instant | undefined, to: Temporal.Instant | undefined) =>
  from && to ? to.since(from).total('hours').toFixed(2) : null;

/** An instant as text; undefined where there is none. */
const textOf = (time: unknown) => (time instanceof Temporal.Instant ? time.toString() : undefined);

test.each(Object.keys(WALKS))('the history of an order %s is shown as it was observed', async (name) => {
  const { id, isDeleted, states = [] } = walked.get(name) ?? {};
  const which = sql`${OF_TESTED} AND order_id = ${id} ORDER BY seq`;
  const rows = await viewRows(warehouse.db, 'bi.order_history', which);
  const told = rows.map((row) => ({
    seq: row['seq'],
    is: [row['status_code'], row['stage'], row['status']],
    previous: row['previous_status_code'],
    times: [row['observed_at'], row['not_before'], row['observed_until']].map(textOf),
    hours: [row['uncertainty_hours'], row['observed_hours']],
    flags: [row['is_initial'], row['is_current'], row['is_deleted']],
  }));
  const expected = states.map((state, at) => ({
    seq: at + 1,
    is: [state.status, ...(NAMES[state.status] ?? [])],
    previous: states[at - 1]?.status ?? null,
    times: [state.seenAt, state.notBefore, state.until].map(textOf),
    hours: [hours(state.notBefore, state.seenAt), hours(state.seenAt, state.until)],
    flags: [at === 0, at === states.length - 1, isDeleted],
  }));
  expect(expected.length).toBeGreaterThan(1);
  expect(told).toEqual(expected);
});

/** The first delivery of each order that was seen to be delivered and is still there. */
function deliveries(): ReadonlyMap<string, State> {
  const found = [...walked].flatMap(([name, { states, isDeleted }]) => {
    const first = states.find(({ status }) => stageOf(status) === 'delivered');
    return first?.notBefore === undefined || isDeleted ? [] : [[name, first] as const];
  });
  return new Map(found);
}

test('an order took from its placing to the first look that found it delivered, give or take the time between looks', async () => {
  const expected = [...deliveries()].map(([name, state]) => ({
    order_id: String(walked.get(name)?.id),
    days_to_deliver: (state.seenAt.since(PLACED_AT).total('hours') / 24).toFixed(2),
    uncertainty_hours: hours(state.notBefore, state.seenAt),
  }));
  const rows = await warehouse.rows(sql`
    SELECT order_id, days_to_deliver, uncertainty_hours FROM bi.delivery_times ORDER BY order_id`);
  expect(rows).toEqual(expected.toSorted((left, right) => Number(left.order_id) - Number(right.order_id)));
  expect([...deliveries().keys()].toSorted()).toEqual([
    'came back',
    'delivered between two looks',
    'delivered twice',
    'in good order',
    'of an own code',
  ]);
});

test('orders tell when they were delivered and returned, and since when they are in their status', async () => {
  const { db } = warehouse;
  const byName = async (view: string) => {
    const found = await viewRows(db, view, OF_TESTED);
    return (name: string) => found.find(({ order_id: id }) => id === String(walked.get(name)?.id));
  };
  const orders = await byName('bi.orders');
  for (const name of Object.keys(WALKS)) {
    const first = walked.get(name)?.states.find(({ status }) => stageOf(status) === 'delivered');
    const seenAt = first?.notBefore === undefined ? undefined : first.seenAt;
    expect(textOf(orders(name)?.['delivered_at']), name).toBe(textOf(seenAt));
  }
  const returns = await byName('bi.returns');
  const [, , delivered, returned] = walked.get('came back')?.states ?? [];
  expect(textOf(returns('came back')?.['returned_at'])).toBe(textOf(returned?.seenAt));
  const days = (Number(hours(delivered?.seenAt, returned?.seenAt)) / 24).toFixed(2);
  expect(returns('came back')?.['days_to_return']).toBe(days);
  const open = await byName('bi.open_orders');
  const since = walked.get('asked twice')?.states.at(-1)?.seenAt;
  expect(textOf(open('asked twice')?.['in_status_since'])).toBe(textOf(since));
});

test('the funnel counts each order once per status and stage it was seen in, and where it is now', async () => {
  const live = [...walked.values()].filter(({ isDeleted }) => !isDeleted);
  const row = (matches: (status: string) => boolean) => {
    const reached = live.filter(({ states }) => states.some(({ status }) => matches(status))).length;
    const now = live.filter(({ states }) => matches(states.at(-1)?.status ?? '')).length;
    const percents = {
      reached_percent: percent(reached, live.length),
      now_percent: percent(now, live.length),
    };
    return { orders_reached: reached, orders_now: now, all_orders: live.length, ...percents };
  };
  const { rows } = await warehouse.db.execute(sql`
    SELECT level, stage, status_code, max(status) AS status,
      sum(orders_reached)::int AS orders_reached, sum(orders_now)::int AS orders_now, sum(all_orders)::int AS all_orders,
      (100.0 * sum(orders_reached) / sum(all_orders))::numeric(7, 4) AS reached_percent,
      (100.0 * sum(orders_now) / sum(all_orders))::numeric(7, 4) AS now_percent
    FROM tested.bi_status_funnel GROUP BY level, stage, status_code`);
  const seen = new Map(
    rows.map((found) => [
      `${String(found['level'])} ${String(found['status_code'] ?? found['stage'])}`,
      found,
    ]),
  );
  for (const [status, [stage, name]] of Object.entries(NAMES)) {
    const ofStatus = row((its) => its === status);
    expect(seen.get(`status ${status}`)).toMatchObject({ ...ofStatus, stage, status: name });
    expect(seen.get(`stage ${stage}`)).toMatchObject({
      ...row((its) => stageOf(its) === stage),
      status: null,
    });
  }
  expect(seen.get('status O')).toMatchObject({ orders_reached: 3, orders_now: 0 });
  expect(seen.get('stage delivered')).toMatchObject({ orders_reached: 6, orders_now: 5 });
  expect(seen.get('status Z'), 'a status nobody was in').toMatchObject({
    orders_reached: 0,
    now_percent: '0.0000',
  });
  expect(rows).toHaveLength(17 + 8);
});

test('the funnel separates sources once the owner shows them', async () => {
  const { db } = warehouse;
  const sources = async () => {
    const { rows } = await db.execute<{ source: string | null; orders: number }>(sql`
      SELECT source, sum(orders_now)::int AS orders FROM tested.bi_status_funnel WHERE level = 'stage'
      GROUP BY source ORDER BY source`);
    return rows;
  };
  const live = [...walked.values()].filter(({ isDeleted }) => !isDeleted).length;
  expect(await sources()).toEqual([{ source: null, orders: live }]);
  await db.execute(
    sql`INSERT INTO tested.order_form_fields (shop_id, field_key, is_shown) SELECT shop_id, 'source', true FROM tested.shops`,
  );
  const { rows: entered } = await db.execute(sql`
    SELECT f.value AS source, count(*)::int AS orders
    FROM tested.bi_orders o LEFT JOIN bi.order_fields f USING (shop_id, order_id)
    WHERE NOT o.is_deleted AND coalesce(f.field_key, 'source') = 'source' AND f.is_hidden IS NOT TRUE
    GROUP BY 1 HAVING f.value IS NOT NULL ORDER BY 1`);
  expect(entered.length).toBeGreaterThan(1);
  expect((await sources()).filter(({ source }) => source !== null)).toEqual(entered);
  // Each row has the percentages of its own month, currency and source.
  const finest = await viewRows<{
    order_month: string;
    reached_percent: string;
    orders_reached: number;
    all_orders: number;
  }>(warehouse.db, 'bi.status_funnel', OF_TESTED);
  expect(new Set(finest.map(({ order_month }) => order_month))).toEqual(new Set(['2025-10-01']));
  const percents = finest.filter(
    (found) => found.reached_percent !== percent(found.orders_reached, found.all_orders),
  );
  expect(percents).toEqual([]);
});
