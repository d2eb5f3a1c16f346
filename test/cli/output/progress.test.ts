import { afterEach, expect, test, vi } from 'vitest';

import { fitLine, progressLine, withProgress } from '../../../src/cli/output/progress.ts';
import { replayLine } from '../../../src/cli/output/describe-replay.ts';

const halfWay = {
  phase: 'orders' as const,
  days_due: 180,
  days_verified: 80,
  orders_total: 3000,
  orders_read: 1500,
  orders_stored: 1500,
  orders_seen: 1400,
  users: 0,
  requests: 1700,
  seconds_left: 10,
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
  expect(progressLine('main', { ...halfWay, days_verified: 0 }, 1000, 79)).toMatch(/50 %.* 0:10 left/);
});

test('where the number of orders is unknown, days move the bar, and without either there is none', () => {
  const unknown = { ...halfWay, orders_total: undefined };
  expect(progressLine('main', unknown, 8000, 79)).toMatch(/44 % {2}1,500 orders · 0:10 left/);
  const nothing = { ...unknown, days_due: undefined, seconds_left: undefined };
  expect(progressLine('main', nothing, 8000, 79)).toBe(
    'main  1,500 orders · 188 orders/s · 80 days · 213 requests/s',
  );
});

test('before anything is done, what is not known yet is left out', () => {
  const line = progressLine('main', { ...halfWay, orders_read: 0, seconds_left: undefined }, 1000, 79);
  expect(line).toMatch(/^main {2}░+ {3}0 % {2}0\/3,000 orders · 80\/180 days/);
});

test('more than was planned is no more than all', () => {
  expect(progressLine('main', { ...halfWay, orders_read: 3100, seconds_left: 0 }, 1000, 79)).toMatch(
    /100 % {2}3,100\/3,100 orders · 0:00 left/,
  );
  expect(fitLine('main', 35.5, ['ab'], 26)).toBe('main  ██████████ 100 %  ab');
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
      const line = progressLine(shopKey, { ...halfWay, orders_total: 2_000_000 }, 3_600_000, columns);
      expect(line.length).toBeLessThanOrEqual(columns);
      if (columns >= 60) expect(line).toMatch(/^(main|a-shop-with-quite-a…) .*1,500\/2,000,000 orders/);
      expect(replayLine(shopKey, replay, 10_000, columns).length).toBeLessThanOrEqual(columns);
    }
  }
});

test('what fits exactly is shown, and the bar takes what is left', () => {
  expect(fitLine('main', undefined, ['ab', 'cd'], 13)).toBe('main  ab · cd');
  expect(fitLine('main', undefined, ['ab', 'cd'], 12)).toBe('main  ab');
  expect(fitLine('main', 0.5, ['ab', 'cd'], 27)).toBe('main  ███░░░  50 %  ab · cd');
  expect(fitLine('main', 0.5, ['ab', 'cd'], 26)).toBe('main  █████░░░░░  50 %  ab');
  expect(fitLine('k'.repeat(20), undefined, ['ab'], 40)).toBe(`${'k'.repeat(20)}  ab`);
  expect(fitLine('k'.repeat(21), undefined, ['ab'], 40)).toBe(`${'k'.repeat(19)}…  ab`);
});

test('a share is of orders, else of days; without any due all is done', () => {
  const line = (changes: Partial<Parameters<typeof progressLine>[1]>) =>
    progressLine('main', { ...halfWay, ...changes }, 1000, 79);
  expect(line({ orders_total: 0, orders_read: 0 })).toMatch(/ 44 % {2}0\/0 orders/);
  expect(line({ orders_total: undefined, days_due: 0, days_verified: 0 })).toMatch(/100 % /);
  const users = line({ phase: 'users', users: 20 });
  expect(users).not.toMatch(/left|orders\/s/);
  expect(progressLine('main', { ...halfWay, requests: 1 }, 500, 120)).toMatch(
    /3,000 orders\/s .* 2 requests\/s/,
  );
});

afterEach(() => void vi.useRealTimers());

test.each([
  [
    'on a terminal, every 150 ms',
    { isTerminal: true },
    {},
    450,
    '\r\u001B[2Kmain 1 79'.repeat(3) + '\r\u001B[2K',
    0,
  ],
  ['elsewhere, every ten seconds', {}, {}, 20_000, 'main 1 120\n'.repeat(2), 0],
  ['with --json, in the log', {}, { json: true }, 20_000, '', 2],
  ['with --quiet, not at all', { isTerminal: true }, { quiet: true }, 450, '', 0],
] as const)('progress is shown %s', async (_how, terminal, flags, ms, shown, logged) => {
  vi.useFakeTimers();
  let err = '';
  const io = {
    out: () => undefined,
    err: (text: string) => void (err += text),
    isTerminal: false,
    columns: () => 80,
    outColumns: () => undefined,
    outIsOpen: () => true,
    ...terminal,
  };
  const context = { io, flags: { debug: false, json: false, quiet: false, command: 'sync', ...flags } };
  const log: object[] = [];
  const note = (data: object) => void log.push(data);
  const logger = { debug: note, info: note, warn: note };
  const describe = (key: string, { n }: { readonly n: number }, _ms: number, columns: number) =>
    `${key} ${n} ${columns}`;
  const result = await withProgress(context, logger, 'main', describe, async (watch) => {
    watch(() => ({ n: 1 }));
    await vi.advanceTimersByTimeAsync(ms);
    return 'done';
  });
  await vi.advanceTimersByTimeAsync(ms);
  expect([result, err, vi.getTimerCount()]).toEqual(['done', shown, 0]);
  expect(log).toEqual(Array.from({ length: logged }, () => ({ shop: 'main', n: 1 })));
});
