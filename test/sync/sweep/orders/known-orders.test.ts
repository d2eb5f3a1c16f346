import { expect, test } from 'vitest';

import { withSeenOrders } from '../../../../src/sync/sweep/orders/known-orders.ts';
import { local } from '../../../shop-api/paging/read-one.ts';

const minutes = (...texts: readonly string[]) => texts.map((text) => local(`2026-03-10T${text}`));
/** A warehouse that names one order on each side, whatever is asked. */
const stored = (before: string | undefined, after: string | undefined) => ({
  before: async () => (before === undefined ? undefined : local(`2026-03-10T${before}`)),
  after: async () => (after === undefined ? undefined : local(`2026-03-10T${after}`)),
});

function neighbours({ known }: ReturnType<typeof withSeenOrders>, time: string) {
  const at = local(`2026-03-10T${time}`);
  const asked = [known.before(at, 1), known.before(at, 2), known.after(at, 1), known.after(at, 2)];
  return Promise.all(asked.map(async (found) => (await found)?.toPlainTime().toString().slice(0, 5)));
}

test('the nearest orders on either side are those of recent responses, in whatever order they came', async () => {
  const seen = withSeenOrders(stored(undefined, undefined));
  expect(await neighbours(seen, '12:00')).toEqual([undefined, undefined, undefined, undefined]);
  seen.setLastWindow(minutes('13:00', '11:00', '12:00'));
  seen.setLastWindow(minutes('14:00', '10:00'));
  // A minute is after itself, not before.
  expect(await neighbours(seen, '12:00')).toEqual(['11:00', '10:00', '12:00', '13:00']);
  seen.setSample(minutes('11:30'));
  expect(await neighbours(seen, '12:00')).toEqual(['11:30', '11:00', '12:00', '13:00']);
  seen.setSample(minutes('12:30'));
  expect(await neighbours(seen, '12:00')).toEqual(['11:00', '10:00', '12:00', '12:30']);
});

test('the warehouse knows orders that were not seen; the nearer one counts', async () => {
  const seen = withSeenOrders(stored('11:15', '12:45'));
  expect(await neighbours(seen, '12:00')).toEqual(['11:15', '11:15', '12:45', '12:45']);
  seen.setLastWindow(minutes('11:30', '13:00'));
  expect(await neighbours(seen, '12:00')).toEqual(['11:30', '11:15', '13:00', '12:45']);
  seen.setLastWindow(minutes('11:00'));
  expect((await neighbours(seen, '12:00')).slice(0, 2)).toEqual(['11:30', '11:15']);
});

test('of the windows that held orders, the last eight are remembered', async () => {
  const seen = withSeenOrders(stored(undefined, undefined));
  seen.setLastWindow(minutes('11:00'));
  for (let window = 1; window < 8; window++) seen.setLastWindow(minutes(`0${window}:00`));
  seen.setLastWindow([]);
  expect((await neighbours(seen, '12:00'))[0]).toBe('11:00');
  seen.setLastWindow(minutes('09:00'));
  expect((await neighbours(seen, '12:00')).slice(0, 2)).toEqual(['09:00', '07:00']);
});
