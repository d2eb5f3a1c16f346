import { expect, test } from 'vitest';

import type { JsonValue } from '../../src/model/json.ts';
import {
  toInstant,
  localText,
  parseClock,
  parseLocalTime,
  shownTwice,
} from '../../src/normalize/local-time.ts';
import { windowText } from '../../src/model/window.ts';

const SHOP = { timezone: 'Europe/Moscow' };

/** Times, and texts that stand for them, with bars between. */
const TIMES: readonly [local: string | null, texts: string][] = [
  ['2025-02-03T04:05:06', '2025-02-03 04:05:06 | 2025-02-03T04:05:06 | 03-02-2025 04:05:06'],
  ['2025-02-03T04:05:06', '2025-02-03 04:05:06.000000 | 2025-02-03T04:05:06.999 | 2025-02-03 04:05:06,5'],
  ['2025-02-03T04:05:00', '2025-02-03 04:05 |  03.02.2025  4:05  | 2025/02/03 04:05 | 03.02.2025, 04:05'],
  ['2025-02-03T10:00:00', '03.02.2025\u00a010:00 | 03.02.2025&nbsp;10:00'],
  ['2025-02-03T00:00:00', '2025-02-03 | 03.02.2025 | 2025.02.03 | \ufeff<b>03.02.2025</b>'],
  ['2024-02-29T00:00:00', '29.02.2024'],
  ['1970-01-01T00:00:00', '1970-01-01 00:00:00'],
  ['2200-12-31T23:59:59', '2200-12-31 23:59:59'],
  ['2026-06-05T00:00:00', '5.6.2026'],
  ['2025-01-01T00:00:00', '2025-1-1'],
  ['2025-02-01T04:05:00', '1.2.2025 4:5'],
  // With an offset of its own: the shop is three hours ahead of UTC.
  ['2026-11-24T12:30:15', '2026-11-24T12:30:15+03:00'],
  ['2026-11-24T15:30:15', '2026-11-24T12:30:15Z | 2026-11-24t12:30:15z | 2026-11-24T12:30:15.123456Z'],
  ['2026-11-25T02:30:15', '2026-11-24T23:30:15+0000'],
  ['2026-11-24T20:30:15', '2026-11-24 12:30:15 -05'],
  ['2026-11-24T20:45:15', '2026-11-24T12:15:15.123-05:30'],
  ['2025-01-01T10:00:00', '2025-01-01 10:00:00+03'],
  [null, '0000-00-00T00:00:00Z | 0000-00-00 00:00:00.000000 | 0.0.0000 | -0001-11-30 00:00:00 | 30.11.-0001'],
  [null, '-0001-11-30T00:00:00+00:00 | 0000-00-00 00:00:00 | 0000-00-00 | 00.00.0000'],
];

test.each(TIMES)('%s is read from %s', (local, texts) => {
  for (const text of texts.split(' | ')) {
    const reading = parseLocalTime(text, SHOP);
    expect({ ...reading, value: localText(reading.value) }, text).toEqual({ value: local, problems: [] });
  }
});

const IMPOSSIBLE: readonly JsonValue[] = [
  '31.02.2025 | 29.02.2025 | 32.01.2025 | 00.01.2025 | 01.00.2025 | 01.13.2025 | 2025-02-30 10:00:00',
  'now | infinity | -infinity | today | epoch | 1969-12-31 23:59:59 | 2201-01-01 | 12025-01-01',
  '2025-01-01 24:00:00 | 2025-01-01 23:60:00 | 2025-01-01 23:59:60 | 2025-01-01 x | 2025-01-01 10',
  '2025-01-01Z | 2025-01-01+03:00 | 2025-01-01 10:00 xm | 2025-01-01 13:00 pm | 2025-01-01 0:30 am',
  '2025-01-01 10:00:00+99:00 | 2025-01-01 10:00:00 MSK | 2025-01-01 10:00:00 UTC | 24 Nov 2026',
  '2201-01-01T00:00:00Z | 1970-01-01T00:00:00+14:00 | 2200-12-31T23:00:00Z | 05/06/2026 | 24.11.26',
  'allballs | yesterday | noon | 2025-W01-1 | J2451187 | 44-03-15 BC | 2025-01-01 BC | 0001-01-01 BC',
  '29.02.1900 | 29.02.2100 | 2025-13-01 | 0000-01-01 | 0001-01-01 | 9999-12-31 | 10000-01-01',
  '0000-00-00 hello | 0000-00-00 24:00 | 0000-00-00T | 00.00.0000 x y | ０３.０２.２０２５ | 1.2-2025',
  'x05.01.2025 | 105.01.2025 | 2025-01-05x | 2025-01-051 | 2025-01-01 10:00 pm | -000001-01-01',
  '10000-00-00 | 0000-00-001 | 01.02.20255 | 01/02/2025 | 20250101 | ٠١.٠١.٢٠٢٥ | 01.02.2025\0 | 2016-12-31 23:59:60',
]
  .flatMap((texts): JsonValue[] => texts.split(' | '))
  .concat([1738555506, 0, true, [], ['2025-01-01'], {}, { date: '2025-01-01' }]);

test.for(IMPOSSIBLE)('%j is not a time of a shop', (wire) => {
  const advice = 'a form that is supported now belongs into the list `TIMES`, not `IMPOSSIBLE`';
  expect(parseLocalTime(wire, SHOP), advice).toEqual({
    value: null,
    problems: ['not a date and time between the years 1970 and 2200'],
  });
});

test('a time of day has hours and minutes, and may have seconds', () => {
  const texts = ['09:05', ' 9:05 ', '9:5', '9:05:00.0', '23:59:58'];
  expect(texts.map((text) => String(parseClock(text).value))).toEqual([
    ...Array.from({ length: 4 }, () => '09:05:00'),
    '23:59:58',
  ]);
  for (const wire of ['24:00', '10:60', '10', '13:00 pm', '10:05:61', '110:05', '10.05', 'noon', 905, {}]) {
    expect(parseClock(wire)).toEqual({ value: null, problems: [expect.stringContaining('midnight')] });
  }
});

const instants: [local: string, zone: string, instant: string][] = [
  ['2025-01-15 12:00:00', 'Europe/Moscow', '2025-01-15T09:00:00Z'],
  ['2010-07-15 12:00:00', 'Europe/Moscow', '2010-07-15T08:00:00Z'],
  ['2025-03-30 02:30:00', 'Europe/Berlin', '2025-03-30T01:30:00Z'],
  ['2025-10-26 02:30:00', 'Europe/Berlin', '2025-10-26T00:30:00Z'],
  ['2025-01-15 12:00:00', 'Asia/Kathmandu', '2025-01-15T06:15:00Z'],
  ['2025-01-15 12:00:00', 'UTC', '2025-01-15T12:00:00Z'],
  // The clocks show it twice: its offset says which.
  ['2025-10-26T02:30:00+02:00', 'Europe/Berlin', '2025-10-26T00:30:00Z'],
  ['2025-10-26T02:30:00+01:00', 'Europe/Berlin', '2025-10-26T01:30:00Z'],
];

test.each(instants)('%s in %s is the instant %s', (local, zone, instant) => {
  expect(toInstant(parseLocalTime(local, { timezone: zone }).value, zone)?.toString()).toBe(instant);
});

test.each([
  ['Europe/Berlin', '2026-10-25T02:00', '2026-10-25T02:00 to 2026-10-25T03:00'],
  ['Europe/Berlin', '2026-10-25T02:59', '2026-10-25T02:00 to 2026-10-25T03:00'],
  ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-05T01:30 to 2026-04-05T02:00'],
  // Before and after, where the clocks are set forward, and where they never change.
  ['Europe/Berlin', '2026-10-25T01:59', undefined],
  ['Europe/Berlin', '2026-10-25T03:00', undefined],
  ['Europe/Berlin', '2026-03-29T02:30', undefined],
  ['Asia/Tokyo', '2026-10-25T02:30', undefined],
])('in %s, the clocks show %s twice within %s', (timezone, local, hour) => {
  const twice = shownTwice(Temporal.PlainDateTime.from(local), { timezone });
  expect(twice && windowText(twice)).toBe(hour);
});
