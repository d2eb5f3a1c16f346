import { expect, test } from 'vitest';

import type { JsonObject } from '../../src/model/json.ts';
import { createdMinute, isAllDay, normalizeOrder } from '../../src/normalize/order.ts';

const context = { timezone: 'Europe/Moscow', guestSecret: 'a key' };

test('the created minute of a list row is the row’s created_local, without its seconds', () => {
  const minuteOf = (more: JsonObject) =>
    createdMinute({ created: '03.02.2025', time: '09:05', ...more }, context)?.toString();
  expect(minuteOf({})).toBe('2025-02-03T09:05:00');
  expect(minuteOf({ time: '23:59:58' })).toBe('2025-02-03T23:59:00');
  expect(minuteOf({ time: 'noon' })).toBe('2025-02-03T00:00:00');
  expect(minuteOf({ time: '' })).toBe('2025-02-03T00:00:00');
  for (const created of ['', null, '31.02.2025', 5, {}, '00.00.0000'])
    expect(minuteOf({ created })).toBeUndefined();
});

test('a clock in `created` counts where `time` holds none that can be read, in the row as in the walk', () => {
  for (const [time, local] of [
    ['09:05', '2025-02-03T09:05:00'],
    ['23:30:45', '2025-02-03T23:30:45'],
    ['00:00', '2025-02-03T00:00:00'],
    ['', '2025-02-03T17:20:10'],
    ['noon', '2025-02-03T17:20:10'],
  ] as const) {
    const row = { order_id: 1, created: '03.02.2025 17:20:10', time };
    expect(normalizeOrder(row, context).row).toMatchObject({
      created_on: '2025-02-03',
      created_local: local,
    });
    expect(createdMinute(row, context)?.toString()).toBe(`${local.slice(0, -2)}00`);
  }
});

test.each([
  [{ created: '03.02.2025' }, true],
  [{ created: '03.02.2025', time: 'noon' }, true],
  [{ created: '03.02.2025', time: '00:00' }, false],
  [{ created: '03.02.2025 17:20' }, false],
  [{ created: 'then' }, false],
  [{ time: '09:05' }, false],
])('an order of %j may be of any time of its day: %s', (row, isAny) => {
  expect(isAllDay(row, context)).toBe(isAny);
});
