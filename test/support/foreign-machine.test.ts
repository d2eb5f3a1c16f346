import { expect, test } from 'vitest';

import { FOREIGN_MACHINE } from './foreign-machine.ts';

test('tests run on a machine whose zone and language no shop has', () => {
  expect(Temporal.Now.timeZoneId()).toBe(FOREIGN_MACHINE.TZ);
  expect(new Date(2026, 2, 10).toISOString()).toBe('2026-03-09T10:00:00.000Z');
  expect((1234.5).toLocaleString()).toBe('1.234,5');
});
