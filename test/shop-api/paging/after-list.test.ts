/** How a walk goes on after one list: asked farther, read again, cut, or given up with the reason. */
import { expect, test } from 'vitest';

import type { Matching } from '../../../src/shop-api/paging/read-list.ts';
import { afterList, type Progress, rowsWithin, START } from '../../../src/shop-api/paging/window-reading.ts';
import { FakeShop } from './fake-shop.ts';
import { asked, local, pagingDeps } from './read-one.ts';

const DEPS = pagingDeps(new FakeShop([]));
const DAY = asked('2026-03-05T00:00', '2026-03-06T00:00');
const MINUTE = asked('2026-03-05T10:00', '2026-03-05T10:01');
const DATES = { from: local('2026-03-04T00:00'), to: local('2026-03-07T00:00') };

/** Rows by their times, such as `05.03.2026 10:00`. */
const rowsAt = (...times: readonly string[]) =>
  times.map((text, index) => {
    const [created, time] = text.split(' ');
    return { orderId: String(index), raw: { created, time } } as Matching['rows'][number];
  });

type Given = Partial<Omit<Matching, 'rows'>> & { readonly times?: readonly string[] };

/** The step after a list of these rows. */
function after(of: typeof DAY, at: Partial<Progress>, { times = [], ...given }: Given) {
  const rows = rowsAt(...times);
  const askedAt = Temporal.Instant.from('2026-03-20T12:00:00Z');
  const base = { verdict: 'complete', pages: 1, isUndated: false, malformed: [], total: undefined } as const;
  const list: Matching = { ...base, askedAt, ...given, rows };
  return afterList(DEPS, of, { ...START, ...at }, { dates: DATES, proof: DATES }, list);
}

test('a list whose orders shifted is read again, and split once that was in vain for several pages', () => {
  const shifted = { verdict: 'shifted', pages: 2 } as const;
  expect(after(DAY, { moved: 0 }, shifted)).toMatchObject({ kind: 'ask', moved: 1 });
  expect(after(DAY, { moved: 1 }, shifted)).toMatchObject({ kind: 'cut', why: 'the orders shifted' });
  expect(after(DAY, { moved: 1 }, { ...shifted, pages: 1 })).toMatchObject({ kind: 'ask', moved: 2 });
  const contradiction = 'the pages contradict each other';
  expect(after(DAY, { moved: 1 }, { ...shifted, contradiction })).toMatchObject({
    kind: 'cut',
    why: contradiction,
  });
});

test('an answer that holds an order twice is searched for it, a list of several is split', () => {
  const twice = { verdict: 'twice', pages: 1 } as const;
  expect(after(DAY, { moved: 1 }, twice)).toEqual({ kind: 'twice' });
  expect(after(DAY, { moved: 1 }, { ...twice, pages: 2 })).toMatchObject({
    kind: 'cut',
    why: 'an answer holds an order twice',
  });
});

test('a minute cannot be split: after five times it is given up', () => {
  for (const [verdict, why] of [
    ['shifted', 'the orders shifted'],
    ['twice', 'an answer holds an order twice'],
    ['start ignored', 'the shop ignores "start", so that its list cannot be read'],
  ] as const) {
    expect(after(MINUTE, { moved: 3 }, { verdict, pages: 2 })).toMatchObject({ kind: 'ask', moved: 4 });
    expect(after(MINUTE, { moved: 4 }, { verdict, pages: 2 })).toMatchObject({
      kind: 'unproven',
      reason: expect.stringMatching(new RegExp(`was read 5 times in vain: ${why}$`)),
    });
  }
});

test('only the side is asked farther on which no order lies', () => {
  const reach = (...times: readonly string[]) => {
    const step = after(DAY, { isRepeat: true }, { times });
    return step.kind === 'ask' ? step.reach : step.kind;
  };
  expect(reach('07.03.2026 10:00')).toEqual({ below: 1, above: 0 });
  expect(reach('03.03.2026 10:00')).toEqual({ below: 0, above: 1 });
  expect(reach('05.03.2026 10:00'), 'of one within').toEqual({ below: 1, above: 1 });
  expect(reach()).toEqual({ below: 1, above: 1 });
});

test('where nothing reaches beyond a window, it is split, and a minute given up', () => {
  const farthest = { isRepeat: true, reach: { below: 9, above: 9 } };
  const times = ['05.03.2026 10:00'];
  const what = /^no response of the shop reached beyond 2026-03-05T/;
  const cut = { kind: 'cut', sample: [local('2026-03-05T10:00')], total: undefined };
  expect(after(DAY, farthest, { times })).toEqual({ ...cut, why: expect.stringMatching(what) });
  const reason = expect.stringMatching(/reached beyond 2026-03-05T.*, so it cannot be proven complete$/);
  expect(after(MINUTE, farthest, { times })).toMatchObject({ kind: 'unproven', reason });
  const bounds = { from: local('2026-03-01T00:00'), to: undefined };
  expect(after({ ...DAY, bounds }, farthest, { times })).toEqual({ kind: 'bounded' });
});

test('a minute whose list is cut is given up with what is wrong', () => {
  const farthest = { reach: { below: 9, above: 9 } };
  const reason = (given: Given) => {
    const step = after(MINUTE, farthest, given);
    return step.kind === 'unproven' ? step.reason : step.kind;
  };
  expect(reason({ verdict: 'cut', pages: 400 })).toMatch(/^more than 400 pages of orders lie in the minute/);
  expect(reason({ verdict: 'cut', pages: 399 })).toMatch(
    /^the shop does not list the same orders by their own/,
  );
});

test('rows within a window are those that were created in it, and say so', () => {
  const rows = rowsAt(
    '04.03.2026 23:59',
    '05.03.2026 00:00',
    '05.03.2026 23:59',
    '06.03.2026 00:00',
    'never',
  );
  expect(rowsWithin(DEPS, DAY.window, rows).map(({ orderId }) => orderId)).toEqual(['1', '2']);
});
