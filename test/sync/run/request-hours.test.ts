import { expect, test } from 'vitest';

import { addRequests, requestsOfLastDay } from '../../../src/sync/run/shop-state.ts';

const at = (text: string) => Temporal.Instant.from(`2026-03-${text}Z`);
const zeros = (count: number) => Array.from({ length: count }, () => 0);

type Sent = readonly [requests: number, time: string];
test.each<[string, readonly Sent[], string, readonly number[]]>([
  [
    'of one hour are summed up',
    [
      [3, '10T12:05'],
      [4, '10T12:59'],
    ],
    '10T12:00',
    [7],
  ],
  [
    'move back with later hours',
    [
      [3, '10T12:05'],
      [4, '10T13:00'],
      [5, '10T16:10'],
    ],
    '10T16:00',
    [5, 0, 0, 4, 3],
  ],
  [
    'are kept for 24 hours',
    [
      [3, '10T12:05'],
      [1, '11T11:59'],
    ],
    '11T11:00',
    [1, ...zeros(22), 3],
  ],
  [
    'are dropped then',
    [
      [3, '10T12:05'],
      [1, '11T12:00'],
    ],
    '11T12:00',
    [1, ...zeros(23)],
  ],
  [
    'are dropped after any pause',
    [
      [3, '10T12:05'],
      [1, '30T12:00'],
    ],
    '30T12:00',
    [1, ...zeros(23)],
  ],
  [
    'stay as they are without new ones',
    [
      [3, '20T12:05'],
      [0, '30T12:00'],
    ],
    '20T12:00',
    [3],
  ],
  [
    'of a clock in the future are dropped',
    [
      [3, '20T12:05'],
      [2, '10T12:00'],
    ],
    '10T12:00',
    [2],
  ],
])('requests %s', (_, sent, hour, counts) => {
  type Hours = ReturnType<typeof addRequests>;
  const added = sent.reduce<Hours>(
    (hours, [requests, time]) => addRequests(hours, requests, at(time)),
    undefined,
  );
  expect(added).toEqual({ hour: at(hour), counts });
});

test('the last 24 hours end with the present one, whenever the last request was', () => {
  const last = (text: string) => requestsOfLastDay({ hour: at('10T12:00'), counts: [5, 4, 3] }, at(text));
  expect(['10T12:59', '10T14:00', '11T09:59', '11T10:00', '11T11:00', '11T12:00'].map(last)).toEqual([
    12, 12, 12, 9, 5, 0,
  ]);
  expect(requestsOfLastDay(undefined, at('10T12:00'))).toBe(0);
});
