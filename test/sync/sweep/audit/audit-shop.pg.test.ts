import { expect, test } from 'vitest';

import { parseFreshness } from '../../../../src/plan/days/freshness.ts';
import type { Dialect } from '../../../../src/simulator/shop/dialect.ts';
import type { SweepRequest } from '../../../../src/sync/sweep/sweep-request.ts';
import { watchLists } from '../../../support/list-requests.ts';
import { openShop, PRESENT, SHOP } from '../../../support/shop.ts';
import { marks } from '../../support/copy.ts';

const PRESENT_DAY = PRESENT.toZonedDateTimeISO('Europe/Berlin').toPlainDate();

test('a day that an audit makes due is reported as due', async () => {
  const { clock, shop, sweep } = await openShop({ ...SHOP, orders: 60, days: 60 });
  await sweep({ kind: 'backfill' });
  shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-01-20T09:00') });
  clock.pass({ minutes: 6 });
  const result = await sweep({ kind: 'sync', audit: true });
  expect(result).toMatchObject({ status: 'partial', orders_new: 1, is_beginning_due: false });
  expect(result.days_due).toBe(result.days_verified + 1);
  clock.pass({ seconds: 20 });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok', days_due: 1 });
});

test.each([
  { from: PRESENT_DAY.subtract({ days: 2 }), to: undefined, other: PRESENT_DAY.subtract({ days: 3 }) },
  { from: undefined, to: PRESENT_DAY.subtract({ days: 2 }), other: PRESENT_DAY },
])(
  'a sweep from $from to $to reads and reports nothing else, though an audit is due, and $other open',
  async (days) => {
    const { client, clock, simulator, sweep } = await openShop();
    await sweep({ kind: 'backfill' });
    clock.pass({ hours: 7 * 24 + 1 });
    const { from, to, other } = days;
    await client.query(`UPDATE tested.days SET verified_at = NULL WHERE day = $1`, [other.toString()]);
    const lists = watchLists(simulator.requests);
    const result = await sweep({ kind: 'sync', ...(from && { from }), ...(to && { to }) });
    expect(result).toMatchObject({ status: 'ok', days_due: result.days_verified });
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.filter(({ dateFrom, dateTo }) => (from ? dateFrom : dateTo) === undefined)).toEqual([]);
    if (from) expect(result.from).toBe(from.toString());
    else expect(result.to).toBe(to?.toString());
  },
);

test('orders dated in the future, or before 2000, are loaded by sync', async () => {
  const { clock, differences, shop, sweep } = await openShop();
  await sweep({ kind: 'sync' });
  for (const time of ['2026-03-11T09:00', '2027-05-01T10:00', '2099-12-31T23:59', '1998-07-06T05:04']) {
    shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from(time) });
  }
  clock.pass({ hours: 7 * 24 - 1 });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ orders_new: 3 });
  // What lies beyond all dates is found without any.
  clock.pass({ hours: 2 });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ orders_new: 1 });
  expect(await differences()).toEqual([]);
});

test('the audit finds changes and the deletion of an order dated beyond all windows', async () => {
  const { clock, differences, shop, sweep } = await openShop();
  const placed = ['2037-12-31T23:59:40', '2099-12-31T23:59'].map(
    (time) => shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from(time) }).orderId,
  );
  for (const change of [
    () => undefined,
    () => placed.map((orderId) => shop.editOrder(orderId, { status: 'C' })),
    () => placed.map((orderId) => shop.deleteOrder(orderId)),
  ]) {
    change();
    clock.pass({ hours: 1 });
    expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
    expect(await differences()).toEqual([]);
  }
});

test('the ledger has no day after today, in however many windows orders dated ahead are read', async () => {
  const { differences, rows, shop, sweep } = await openShop({ ...SHOP, pageCap: 2 });
  for (const time of ['2026-03-11T09:00', '2026-03-30T10:00', '2026-07-01T10:00', '2027-05-01T10:00']) {
    shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from(time) });
  }
  await sweep({ kind: 'sync' });
  expect(
    await rows(
      'SELECT max(day)::text AS last, count(*) FILTER (WHERE verified_at IS NULL)::int AS open FROM tested.days',
    ),
  ).toEqual([{ last: '2026-03-10', open: 0 }]);
  expect(await differences()).toEqual([]);
});

test('a range that starts before the shop did keeps the freshness correct', async () => {
  const { clock, differences, rows, sweep } = await openShop({ ...SHOP, orders: 60, days: 700 });
  const from = Temporal.PlainDate.from('2010-01-01');
  const freshness = async () =>
    await rows(
      'SELECT complete_through::text, last_day::text, failing_days::int AS failing FROM bi.sync_freshness',
    );
  // The last day was read before it ended, which is long ago by the database's clock.
  const right = [{ complete_through: '2026-03-09', last_day: '2026-03-10', failing: 0 }];
  expect(await sweep({ kind: 'backfill', from })).toMatchObject({ status: 'ok' });
  expect(await freshness()).toEqual(right);
  clock.pass({ minutes: 6 });
  expect(await sweep({ kind: 'sync' })).toMatchObject({ status: 'ok' });
  expect(await freshness()).toEqual(right);
  clock.pass({ minutes: 1 });
  expect(await sweep({ kind: 'backfill', from, force: true })).toMatchObject({ status: 'ok' });
  expect(await freshness()).toEqual(right);
  expect(await differences()).toEqual([]);
});

test('an audit ignores orders before the first day, and restores orders that are listed again', async () => {
  const { client, clock, rows, shop, sweep } = await openShop({ ...SHOP, orders: 60 });
  const orders = shop.orders();
  const second = orders.at(-1)?.createdLocal.toPlainDate().subtract({ days: 3 });
  const sync = (request: SweepRequest) =>
    sweep(request, { historyFrom: second, freshness: parseFreshness('*:30d') });
  const held = orders.filter(
    ({ createdLocal }) => Temporal.PlainDate.compare(createdLocal, second ?? PRESENT_DAY) >= 0,
  );
  expect(await sync({ kind: 'backfill' })).toMatchObject({ orders_new: held.length });
  const back = held[3];
  await client.query(`UPDATE tested.orders SET missing_since = $2, deleted_at = $2 WHERE order_id = $1`, [
    back?.orderId,
    PRESENT.toString(),
  ]);
  clock.pass({ minutes: 5 });
  const audited = await sync({ kind: 'sync', audit: true });
  expect(audited).toMatchObject({ status: 'partial', orders_new: 0, orders_missing: 0 });
  expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
  expect(await rows(`SELECT memory #> '{audit,orders}' AS listed FROM tested.shop_state`)).toEqual([
    { listed: orders.length },
  ]);
  expect(await rows(`SELECT day::text FROM tested.days WHERE verified_at IS NULL ORDER BY day`)).toEqual([
    { day: back?.createdLocal.toPlainDate().toString() },
  ]);
  expect(await sync({ kind: 'sync' })).toMatchObject({ status: 'ok' });
  expect(await rows(`SELECT kind, status FROM tested.runs ORDER BY run_id DESC LIMIT 1`)).toEqual([
    { kind: 'sync', status: 'ok' },
  ]);
});

test.each<[string, Partial<Dialect>]>([
  ['ends at a position', { reach: 12 }],
  ['shows all orders with dates only', { undatedDays: 5 }],
])('an audit of a list that %s does not judge orders without a date', async (_what, dialect) => {
  const made = { ...SHOP, days: 20, dialect: { listOrder: 'desc' } } as const;
  const { client, clock, rows, shop, simulator, sweep } = await openShop(made);
  const { orderId } = shop.insertOrder({ createdText: '' });
  await sweep({ kind: 'backfill' });
  expect(await rows('SELECT FROM tested.orders WHERE order_id = $1', orderId)).toHaveLength(1);
  shop.setDialect(dialect);
  // Those that dates reach are found again.
  await sweep({ kind: 'sync', audit: true });
  await sweep({ kind: 'backfill', force: true });
  clock.pass({ minutes: 6 });
  simulator.requests.reset();
  expect(await sweep({ kind: 'sync', audit: true })).toMatchObject({ status: 'ok', problems: [] });
  expect(simulator.requests.count('order'), 'it is not asked about').toBe(0);
  expect(await marks(client)).toEqual({ missing: 0, deleted: 0 });
});

test('a due audit waits until a sweep of all days has read them', async () => {
  const { clock, simulator, sweep } = await openShop();
  await sweep({ kind: 'backfill' });
  clock.pass({ hours: 8 * 24 });
  const undated = async (request: SweepRequest) => {
    const lists = watchLists(simulator.requests);
    await sweep(request);
    return lists.some(({ dateFrom, dateTo }) => !dateFrom && !dateTo);
  };
  const today = clock.now().toZonedDateTimeISO('Europe/Berlin').toPlainDate();
  expect(await undated({ kind: 'sync', from: today.subtract({ days: 1 }), to: today })).toBe(false);
  expect(await undated({ kind: 'sync', budgetMs: 0 })).toBe(false);
  expect(await undated({ kind: 'sync' })).toBe(true);
  expect(await undated({ kind: 'sync' })).toBe(false);
});
