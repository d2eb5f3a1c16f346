/** Which days a sweep covers, and under which the ledger keeps what it finds. */
import { expect, test } from 'vitest';

import { ledgerDays } from '../../../src/sync/run/shop-day.ts';
import { sweptRange, type SweepRequest } from '../../../src/sync/sweep/sweep-request.ts';
import { complete, parseShop } from '../../support/settings.ts';

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
