/** Which days a sweep covers, under which the ledger keeps what it finds, and what a clock or zone that is wrong shows by. */
import { expect, test } from 'vitest';
import { ledgerDays } from '../../../../src/sync/run/shop-day.ts';
import { type SweepRequest, sweptRange } from '../../../../src/sync/sweep/sweep-request.ts';
import { complete, parseShop } from '../../../support/settings.ts';
import type { OrdersQuery } from '../../../../src/shop-api/endpoints/list-orders.ts';
import { listedClockSkew } from '../../../../src/sync/sweep/clock-warning.ts';

const day = (text: string) => Temporal.PlainDate.from(text);
/** Half an hour after midnight in the shop, on the tenth. */
const portsOf = (historyFrom?: string) => ({
  now: () => Temporal.Instant.from('2026-03-09T23:30:00Z'),
  shop: { ...parseShop(complete), historyFrom: historyFrom === undefined ? undefined : day(historyFrom) },
});

function rangeOf(request: Omit<SweepRequest, 'kind'>, historyFrom?: string) {
  const { from, to } = sweptRange(portsOf(historyFrom), { kind: 'sync', ...request });
  return [from?.toString(), to.toString()];
}

test('a sweep covers the requested days, no future day, and no history before the first day', () => {
  expect(rangeOf({})).toEqual([undefined, '2026-03-10']);
  expect(rangeOf({}, '2026-01-01')).toEqual(['2026-01-01', '2026-03-10']);
  expect(rangeOf({ from: day('2026-02-01') }, '2026-01-01')).toEqual(['2026-02-01', '2026-03-10']);
  expect(rangeOf({ to: day('2026-03-08') })).toEqual([undefined, '2026-03-08']);
  expect(rangeOf({ to: day('2026-03-20') })).toEqual([undefined, '2026-03-10']);
  expect(rangeOf({ from: day('2026-03-10') })).toEqual(['2026-03-10', '2026-03-10']);
});

test('orders of future days are recorded under today, and each day once', () => {
  const days = ['2026-03-09', '2026-03-10', '2026-03-11', '2027-01-01', '2026-03-09'];
  expect(ledgerDays(portsOf(), days)).toEqual(['2026-03-09', '2026-03-10']);
});

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const REST = { malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };

test.each([
  ['Asia/Vladivostok', '2026-03-10T22:00:00'],
  ['America/New_York', '2026-03-10T08:00:00'],
])('the request for current orders uses the clock of %s', async (timezone, from) => {
  const asked: OrdersQuery[] = [];
  const listOrders = async (query: OrdersQuery) => {
    asked.push(query);
    return { rows: [], ...REST };
  };
  const { signal } = new AbortController();
  expect(await listedClockSkew({ listOrders }, { timezone, pageLimit: 500 }, NOW, signal)).toBeUndefined();
  expect(asked.map(({ dateFrom }) => dateFrom?.toString())).toEqual([from]);
});

test('an order dated by hand hides no wrong time zone, even if the shop lists it beyond the end that was asked for', async () => {
  const times = ['2099-01-01 10:00', '2026-03-10 22:00'];
  const rows = times.map((created, index) => ({ orderId: `${index + 1}`, raw: { created } }));
  const listOrders = async () => ({ rows, ...REST });
  const { signal } = new AbortController();
  const shop = { timezone: 'Europe/Berlin', pageLimit: 500 };
  expect(await listedClockSkew({ listOrders }, shop, NOW, signal)).toEqual({
    aheadMinutes: 9 * 60,
    fittingOffset: '+10:00',
  });
});
