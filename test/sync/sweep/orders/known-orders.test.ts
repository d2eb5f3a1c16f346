import { expect, test } from 'vitest';

import { withSeenOrders } from '../../../../src/sync/sweep/orders/known-orders.ts';
import { local } from '../../../shop-api/paging/read-one.ts';

const minutes = (...texts: readonly string[]) => texts.map((text) => local(`2026-03-10T${text}`));
/** A warehouse that names one order on each side, whatever is asked. */
const stored = (before: string | undefined, after: string | undefined) => ({
  before: async () => (before === undefined ? undefined : local(`2026-03-10T${before}`)),
  after: async () => (after === undefined ? undefined : local(`2026-03-10T${after}`)),
});

function neighbours(witnesses: ReturnType<typeof withSeenOrders>, time: string) {
  const at = local(`2026-03-10T${time}`);
  const asked = [
    witnesses.before(at, 1),
    witnesses.before(at, 2),
    witnesses.after(at, 1),
    witnesses.after(at, 2),
  ];
  return Promise.all(asked.map(async (found) => (await found)?.toPlainTime().toString().slice(0, 5)));
}

test('the nearest orders on either side are those of recent responses, in whatever order they came', async () => {
  const seen = withSeenOrders(stored(undefined, undefined));
  expect(await neighbours(seen, '12:00')).toEqual([undefined, undefined, undefined, undefined]);
  seen.see(minutes('13:00', '11:00', '12:00'));
  seen.see(minutes('14:00', '10:00'));
  // A minute is after itself, not before.
  expect(await neighbours(seen, '12:00')).toEqual(['11:00', '10:00', '12:00', '13:00']);
});

test('the warehouse knows orders that were not seen; the nearer one counts', async () => {
  const seen = withSeenOrders(stored('11:15', '12:45'));
  expect(await neighbours(seen, '12:00')).toEqual(['11:15', '11:15', '12:45', '12:45']);
  seen.see(minutes('11:30', '13:00'));
  expect(await neighbours(seen, '12:00')).toEqual(['11:30', '11:15', '13:00', '12:45']);
});

test('the oldest ones that were seen are remembered: the next window lies below them', async () => {
  const seen = withSeenOrders(stored(undefined, undefined));
  for (let hour = 23; hour > 1; hour--) seen.see(minutes(`${String(hour).padStart(2, '0')}:00`));
  expect(await neighbours(seen, '02:00')).toEqual([undefined, undefined, '02:00', '03:00']);
  expect(await neighbours(seen, '22:30')).toEqual(['21:00', '20:00', undefined, undefined]);
});
