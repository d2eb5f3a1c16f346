import { expect, test } from 'vitest';

import { progressLine } from '../../../src/cli/output/progress.ts';
import { replayLine } from '../../../src/cli/commands/warehouse/replay.ts';

const halfWay = {
  phase: 'orders' as const,
  daysTotal: 180,
  daysDone: 80,
  ordersTotal: 3000,
  ordersRead: 1500,
  ordersStored: 1500,
  orders: 1400,
  users: 0,
  requests: 1700,
  secondsLeft: 10,
};

test('a person sees orders, the time left and rates, and days where there is room', () => {
  expect(progressLine('main', halfWay, 10_000, 79)).toBe(
    'main  ███░░░  50 %  1,500/3,000 orders · 0:10 left · 150 orders/s · 80/180 days',
  );
  expect(progressLine('main', halfWay, 10_000, 120)).toBe(
    'main  ████████████░░░░░░░░░░░░  50 %  1,500/3,000 orders · 0:10 left · 150 orders/s · 80/180 days · 170 requests/s',
  );
});

test('the orders move the bar while no day is done', () => {
  expect(progressLine('main', { ...halfWay, daysDone: 0 }, 1000, 79)).toMatch(/50 %.* 0:10 left/);
});

test('where the number of orders is unknown, days move the bar, and without either there is none', () => {
  const unknown = { ...halfWay, ordersTotal: undefined };
  expect(progressLine('main', unknown, 8000, 79)).toMatch(/44 % {2}1,500 orders · 0:10 left/);
  const nothing = { ...unknown, daysTotal: undefined, secondsLeft: undefined };
  expect(progressLine('main', nothing, 8000, 79)).toBe(
    'main  1,500 orders · 188 orders/s · 80 days · 213 requests/s',
  );
});

test('before anything is done, what is not known yet is left out', () => {
  const line = progressLine('main', { ...halfWay, ordersRead: 0, secondsLeft: undefined }, 1000, 79);
  expect(line).toMatch(/ 0 % {2}0\/3,000 orders · 80\/180 days/);
});

test('more orders than estimated are no more than all', () => {
  expect(progressLine('main', { ...halfWay, ordersRead: 3100, secondsLeft: 0 }, 1000, 79)).toMatch(
    /100 % {2}3,100\/3,100 orders · 0:00 left/,
  );
});

test('reading users has its own text', () => {
  expect(progressLine('main', { ...halfWay, phase: 'users', users: 20 }, 1000, 79)).toMatch(
    /100 % .*reading users: 20/,
  );
});

test('a line is never wider than the terminal, and names the shop and the orders even on a narrow one', () => {
  const key = 'a-shop-with-quite-a-long-key';
  const replay = { stage: 'orders' as const, done: 8500, total: 20_000, own: 8500 };
  for (const shopKey of ['main', key]) {
    for (let columns = 20; columns <= 140; columns++) {
      const line = progressLine(shopKey, { ...halfWay, ordersTotal: 2_000_000 }, 3_600_000, columns);
      expect(line.length).toBeLessThanOrEqual(columns);
      if (columns >= 60) expect(line).toMatch(/^(main|a-shop-with-quite-a…) .*1,500\/2,000,000 orders/);
      expect(replayLine(shopKey, replay, 10_000, columns).length).toBeLessThanOrEqual(columns);
    }
  }
});
