import { expect, test } from 'vitest';

import { progressLine } from '../../../src/cli/output/progress.ts';

const halfWay = {
  phase: 'orders' as const,
  daysTotal: 180,
  daysDone: 90,
  orders: 1500,
  users: 0,
  requests: 1700,
};

test('a person sees days, orders, both rates and the time left', () => {
  expect(progressLine('main', halfWay, 10_000)).toBe(
    'main  ████████████░░░░░░░░░░░░  50 %  90/180 days · 1,500 orders · 150 orders/s · 170 requests/s · 0:10 left',
  );
});

test('no time is estimated before the first day is done', () => {
  expect(progressLine('main', { ...halfWay, daysDone: 0 }, 1000)).toMatch(/…$/);
});

test('reading users has its own text', () => {
  expect(progressLine('main', { ...halfWay, phase: 'users', users: 20 }, 1000)).toMatch(
    /20 users.*reading users$/,
  );
});
