import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { fileWarehouse } from '../test-warehouse.ts';

const warehouse = fileWarehouse();

type Case = {
  readonly day?: string;
  readonly verified?: string | null;
  readonly confirmed?: string | null;
  readonly target?: number | null;
  readonly zone?: string;
  readonly at?: string;
};

/** Whether a day is due, that by default was verified an hour before NOW and is to be verified every day. */
async function isDue({ day = '2026-03-01', target = 86_400, zone = 'UTC', at = NOW, ...given }: Case) {
  const { verified = '2026-03-05T11:00:00Z', confirmed = null } = given;
  const [row] = await warehouse.rows(sql`
    SELECT ops.is_due(${day}, ${verified}, ${confirmed}, ${target}, ${zone}, ${at}) AS due`);
  return row?.['due'];
}
const NOW = '2026-03-05T12:00:00Z';

test.each<[string, Case, boolean]>([
  ['that was never verified', { verified: null }, true],
  ['that was verified just within its target', { target: 3_600.001 }, false],
  ['that was verified exactly its target ago', { target: 3_600 }, true],
  ['that is to be verified always', { target: 0, verified: NOW }, true],
  ['that was verified long ago, without a target', { target: null, verified: '2026-03-03T00:00:00Z' }, false],
  ['that was never verified, without a target', { target: null, verified: null }, true],
  ['that a clock verified which ran ahead', { verified: '2026-03-05T12:00:00.001Z' }, true],
  ['that it verified years ahead', { verified: '2028-03-05T12:00:00Z' }, true],
  ['of which an order was to be confirmed', { confirmed: '2026-03-05T11:59:59Z' }, true],
  ['of which an order is to be confirmed now', { confirmed: NOW }, true],
  ['of which an order is to be confirmed soon', { confirmed: '2026-03-05T12:00:01Z' }, false],
  ['of which a clock that ran ahead missed an order', { confirmed: '2026-03-05T12:05:01Z' }, true],
])('a day %s is due or not', async (_, given, expected) => {
  expect(await isDue(given)).toBe(expected);
});

// In the zones where a day ends last and first, and where it has 23 or 25 hours, or no midnight.
test.each([
  ['UTC', '2026-03-03', '2026-03-04T00:00:00Z'],
  ['Etc/GMT+12', '2026-03-03', '2026-03-04T12:00:00Z'],
  ['Pacific/Kiritimati', '2026-03-03', '2026-03-03T10:00:00Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T23:00:00Z'],
  ['America/Santiago', '2026-09-05', '2026-09-06T04:00:00Z'],
])('in %s the day %s is due once it is over, unless it was verified from %s on', async (zone, day, end) => {
  const ended = Temporal.Instant.from(end);
  const [before, after] = [
    ended.subtract({ milliseconds: 1 }).toString(),
    ended.add({ hours: 9 }).toString(),
  ];
  const of = (verified: string, at: string) => isDue({ day, zone, target: null, verified, at });
  expect(await Promise.all([of(before, before), of(before, end), of(before, after), of(end, after)])).toEqual(
    [false, true, true, false],
  );
});
