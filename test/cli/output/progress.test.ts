import { afterEach, expect, test, vi } from 'vitest';

import {
  lineText,
  replayProgress,
  sweepProgress,
  verifyProgress,
  withProgress,
} from '../../../src/cli/output/progress.ts';
import { cliContext } from '../../support/cli-context.ts';
import { HEALTHY } from '../../support/healthy.ts';

type Shown = Parameters<typeof sweepProgress>[0];
const progressLine = (key: string, progress: Shown, elapsedMs: number, columns: number) =>
  lineText(key, sweepProgress(progress, elapsedMs), columns);

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
  const whole =
    'main  ██████░░░░░░  50 %  1,500/3,000 orders · 0:10 left · 150 orders/s · 80/180 days · 170 requests/s';
  expect(progressLine('main', halfWay, 10_000, 120)).toBe(whole);
  expect(progressLine('main', halfWay, 10_000, 79)).toBe(whole.slice(0, 79));
});

test('where the number of orders is unknown, days move the bar, and without either there is none', () => {
  const unknown = { ...halfWay, orders_total: undefined };
  expect(progressLine('main', unknown, 8000, 79)).toMatch(/44 % {2}1,500 orders · 0:10 left/);
  const nothing = { ...unknown, days_due: undefined, seconds_left: undefined };
  expect(progressLine('main', nothing, 8000, 79)).toBe(
    'main  1,500 orders · 188 orders/s · 80 days · 213 requests/s',
  );
});

test('before anything is done, unknown figures are left out', () => {
  const line = progressLine('main', { ...halfWay, orders_read: 0, seconds_left: undefined }, 1000, 79);
  expect(line).toMatch(/^main {2}░+ {3}0 % {2}0\/3,000 orders · 80\/180 days/);
});

test('progress beyond the plan shows 100 %', () => {
  expect(progressLine('main', { ...halfWay, orders_read: 3100, seconds_left: 0 }, 1000, 79)).toMatch(
    /100 % {2}3,100\/3,100 orders · 0:00 left/,
  );
});

test('a line is never wider than the terminal, and names the shop and the orders even on a narrow one', () => {
  const key = 'a-shop-with-quite-a-long-key';
  for (const shopKey of ['main', key]) {
    for (let columns = 20; columns <= 140; columns++) {
      const line = progressLine(shopKey, { ...halfWay, orders_total: 2_000_000 }, 3_600_000, columns);
      expect(line.length).toBeLessThanOrEqual(columns);
      if (columns >= 64) expect(line).toMatch(/^(main|a-shop-with-quite-a…) .*1,500\/2,000,000 orders/);
    }
  }
});

test('the records of an earlier replay that is resumed do not count as fast ones of this one', () => {
  const progress = { stage: 'orders', done: 1_500, total: 2_000, own: 500 } as const;
  expect(lineText('north', replayProgress(progress, 5_000), 120)).toBe(
    'north  █████████░░░  75 %  1,500/2,000 records · 0:05 left · 100 records/s · orders',
  );
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

test('a comparison shows how many of the orders were compared, those that came meanwhile too', () => {
  const line = (orders_read: number) =>
    lineText('north', verifyProgress({ orders_read, orders_total: 2_000 }, 5_000), 120);
  expect(line(1_000)).toBe('north  ██████░░░░░░  50 %  1,000/2,000 orders · 200 orders/s');
  expect(line(2_001)).toContain('100 %  2,001/2,001 orders');
  const empty = verifyProgress({ orders_read: 0, orders_total: 0 }, 1_000);
  expect(lineText('north', empty, 120)).toBe('north  0/0 orders · 0 orders/s');
});

afterEach(() => void vi.useRealTimers());

function openLog() {
  const log: object[] = [];
  const note = (data: object) => void log.push(data);
  return { log, logger: { debug: note, info: note, warn: note } };
}

const CLEAR = '\r\u001B[2K';
const LATE = Temporal.Instant.from('2026-03-10T12:04:10Z');
test.each([
  [{ isFailing: true }, 'the shop does not answer; trying again'],
  [{ isFailing: true, waitsUntil: LATE }, 'the shop does not answer; waiting until 12:05 UTC at most'],
  [{ pausedUntil: LATE }, 'the shop requested a pause until 12:05 UTC'],
])('while a shop does not answer, that and the end of the wait come first: %j', async (health, shown) => {
  vi.useFakeTimers();
  const key = 'north';
  const answered = { ...HEALTHY };
  const { log, logger } = openLog();
  const watched = { api: { health: answered }, logger, shop: { shopKey: key } };
  const screen = cliContext({ io: { isTerminal: true } });
  const json = cliContext({ flags: { json: true } });
  const run = (context: typeof screen) =>
    withProgress(context, watched, sweepProgress, async (watch) => {
      await vi.advanceTimersByTimeAsync(10_000);
      Object.assign(answered, health);
      await vi.advanceTimersByTimeAsync(10_000);
      watch(() => halfWay);
      await vi.advanceTimersByTimeAsync(10_000);
      Object.assign(answered, HEALTHY);
      await vi.advanceTimersByTimeAsync(10_000);
    });
  await run(screen);
  const lines = new Set(screen.written.err.map((text) => text.replace(CLEAR, '')));
  const [waiting, begun] = lines;
  expect(waiting, 'before anything was read').toBe(`north  ${shown}`);
  expect(begun).toContain(`north  ${shown} · 1,500/3,000`);
  expect('a-shop-with-quite-a…  '.length + shown.length, 'with the longest key').toBeLessThan(80);
  expect([...lines].at(-2), 'once it answers').not.toContain('the shop');
  await run(json);
  expect(log).toEqual([
    { shop: key, waits: shown },
    { shop: key, ...halfWay, waits: shown },
    { shop: key, ...halfWay },
  ]);
});

test.each([
  ['on a terminal, every 150 ms', { isTerminal: true }, {}, 450, `${`${CLEAR}main  1`.repeat(3)}${CLEAR}`, 0],
  ['elsewhere, every ten seconds', {}, {}, 20_000, 'main  1\n'.repeat(2), 0],
  ['with --json, in the log', {}, { json: true }, 20_000, '', 2],
  ['with --quiet, not at all', { isTerminal: true }, { quiet: true }, 450, '', 0],
] as const)('progress is shown %s', async (_how, terminal, flags, ms, shown, logged) => {
  vi.useFakeTimers();
  const context = cliContext({ io: terminal, flags });
  const { log, logger } = openLog();
  const describe = ({ n }: { readonly n: number }) => ({ share: undefined, parts: [`${n}`] });
  const watched = { logger, shop: { shopKey: 'main' } };
  const result = await withProgress(context, watched, describe, async (watch) => {
    watch(() => ({ n: 1 }));
    await vi.advanceTimersByTimeAsync(ms);
    return 'done';
  });
  await vi.advanceTimersByTimeAsync(ms);
  expect([result, context.written.err.join(''), vi.getTimerCount()]).toEqual(['done', shown, 0]);
  expect(log).toEqual(Array.from({ length: logged }, () => ({ shop: 'main', n: 1 })));
});
