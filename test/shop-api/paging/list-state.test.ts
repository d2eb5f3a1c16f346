/** What each page of a list shows of it: one response, and the state that follows. */
import { expect, test } from 'vitest';

import { TransientError } from '../../../src/model/errors.ts';
import type { OrdersPage } from '../../../src/shop-api/endpoints/list-orders.ts';
import { PageFault } from '../../../src/shop-api/paging/request-page.ts';
import {
  afterPage,
  learnList,
  type ListRules,
  type ListState,
  NOTHING_READ,
} from '../../../src/shop-api/paging/list-state.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';

const PROFILE = unknownProfile(500);
const UNEVEN = { ...PROFILE, isUneven: true };
const FAULT = new PageFault(new TransientError('HTTP 500'), {}, undefined);

type Response = readonly number[] | PageFault;

function toPage(ids: Response, total: number | undefined, isKeyed = false): OrdersPage | PageFault {
  if (ids instanceof PageFault) return ids;
  const keys = ids.map(String);
  const rows = keys.map((orderId) => ({ orderId, raw: { order_id: orderId } }));
  return { rows, malformed: [], received: ids.length, keys, isKeyed, total };
}

/** The states after responses, one after another; each with its total, or all with the same one. */
function after(
  responses: readonly Response[],
  given: Partial<ListRules> = {},
  total?: number | readonly (number | undefined)[],
  isKeyed: (index: number) => boolean = () => false,
) {
  const known = new Set<string>();
  const rules: ListRules = { profile: PROFILE, known, maxPages: 100, ...given };
  let list: ListState = NOTHING_READ;
  for (const [index, response] of responses.entries()) {
    expect(list.verdict).toBe('reading');
    const own = typeof total === 'object' ? total[index] : total;
    const next = afterPage(list, toPage(response, own, isKeyed(index)), rules);
    if (next.received.length > list.received.length) for (const key of next.last?.keys ?? []) known.add(key);
    list = next;
  }
  return list;
}

const FIRST = [1, 2, 3];

test.each<[string, readonly Response[], Partial<ListState>]>([
  ['the last row is asked from', [FIRST], { verdict: 'reading', start: 2 }],
  ['and so is that of the next page', [FIRST, [3, 4, 5, 6]], { verdict: 'reading', start: 5 }],
  ['the last row alone needs an empty response beyond it', [FIRST, [3]], { start: 3, probes: 1 }],
  ['which ends the list', [FIRST, [3], []], { verdict: 'complete', start: 3 }],
  ['as a fault there does', [FIRST, [3], FAULT], { verdict: 'complete' }],
  ['also after a shorter page', [FIRST, [3, 4], [4], FAULT], { verdict: 'complete' }],
  [
    'but not a row',
    [FIRST, [3], [4]],
    {
      verdict: 'shifted',
      contradiction: 'start=3 was answered with orders, though the one before it seemed to be the last',
    },
  ],
  [
    'a fault before the end is one of the list',
    [FIRST, FAULT],
    { verdict: 'faulty', start: 2, fault: FAULT },
  ],
  ['an empty response is asked for again', [FIRST, [], []], { verdict: 'reading', start: 2 }],
  ['twice', [FIRST, [], [], []], { verdict: 'shifted' }],
  ['twice after each page', [FIRST, [], [3, 4, 5], [], []], { verdict: 'reading', start: 4 }],
  ['and not where nothing was seen', [[]], { verdict: 'few' }],
  ['which may be any row of a list of one page', [FIRST, [1], []], { verdict: 'complete', start: 3 }],
  ['but not of several', [FIRST, [3, 4, 5], [4]], { verdict: 'shifted' }],
  ['the first page again', [FIRST, FIRST], { verdict: 'start ignored' }],
  ['the first page later on', [FIRST, [3, 4, 5], FIRST], { verdict: 'shifted' }],
  ['a row before the last one', [FIRST, [4, 3]], { verdict: 'shifted', received: [3] }],
  ['rows that do not go on from it', [FIRST, [4, 3, 5]], { verdict: 'shifted', received: [3, 3] }],
  [
    'what two answers have in common',
    [FIRST, [3, 4, 5], [6, 5]],
    {
      contradiction:
        'the answers to start=2 and start=4 have 1 orders in common, not their last and first one',
    },
  ],
  [
    'the page before it',
    [FIRST, [3, 4, 5], [3, 4, 5]],
    { contradiction: 'the answers to start=2 and start=4 are the same' },
  ],
])('%s', (_what, responses, expected) => {
  expect(after(responses)).toMatchObject(expected);
});

test.each([[[0]], [[1]], [[0, 1, 2]]])(
  'of a page keyed by identifier, any row may be the last: pages %j',
  (keyed) => {
    const isKeyed = (index: number) => keyed.includes(index);
    expect(after([FIRST, [4, 2, 5]], {}, undefined, isKeyed)).toMatchObject({ verdict: 'reading', start: 4 });
    expect(after([FIRST, [4, 5]], {}, undefined, isKeyed).verdict).toBe('shifted');
    expect(after([FIRST, [2, 3, 4]], {}, undefined, isKeyed).verdict).toBe('shifted');
    expect(after([FIRST, [3, 4, 5], [1, 6]], {}, undefined, isKeyed).verdict, 'of the page before').toBe(
      'shifted',
    );
  },
);

test('a total that falls by a few while a list comes shows that an order went, unless it counts the rows of each page', () => {
  const fell = (...totals: readonly (number | undefined)[]) =>
    after(totals.length === 2 ? [FIRST, [3]] : [FIRST, [3, 4, 5], [5]], {}, totals).contradiction;
  const text = (from: number, to: number) => `total fell from ${from} to ${to} while they came`;
  expect(fell(3, 3, 2)).toBe(text(3, 2));
  expect(fell(5, 5, 1), 'by more than the rows of the last page').toBe(text(5, 1));
  expect(fell(20, 20, 10)).toBe(text(20, 10));
  expect(fell(21, 21, 10)).toBeUndefined();
  expect(fell(80, 80, 5), 'to the rows that came').toBe(text(80, 5));
  expect(fell(undefined, undefined, 5)).toBeUndefined();
  expect(fell(4, 3)).toBe(text(4, 3));
  expect(fell(5, 4), 'a single page is of one moment').toBeUndefined();
});

test('a list that may move is read on where an order is listed twice, or its total falls', () => {
  const moving = { mayMove: true };
  expect(after([[1, 2, 2]], moving)).toMatchObject({ verdict: 'reading', start: 2 });
  expect(after([FIRST, [3, 4, 5], [5]], moving, [9, 9, 8])).toMatchObject({ verdict: 'reading', probes: 2 });
});

test('a list that brings nothing new fifty-one times never ends', () => {
  const repeats = Array.from({ length: 50 }, () => [2, 3]);
  const moving = { mayMove: true };
  expect(after([FIRST, ...repeats], moving)).toMatchObject({ verdict: 'reading', idle: 50 });
  expect(after([FIRST, ...repeats, [2, 3]], moving).contradiction).toBe(
    '51 answers in a row hold no order that is new',
  );
});

test('a total far beyond the pages allowed makes a full page the only one', () => {
  const rows = (count: number) => [Array.from({ length: count }, (_, index) => index)];
  const most = (count: number, total: number, pageRows = 0, maxPages = 10) =>
    after(rows(count), { maxPages, profile: { ...PROFILE, pageRows } }, total).verdict;
  expect(most(50, 1 + 49 * 9 + 1)).toBe('cut');
  expect(most(50, 1 + 49 * 9)).toBe('reading');
  expect(most(49, 9000)).toBe('reading');
  expect(most(60, 9000, 61), 'a short page').toBe('reading');
  expect(most(60, 9000, 0, 11)).toBe('reading');
  // One that is known to count something else says nothing.
  const other = { ...PROFILE, totalMeaning: 'other' } as const;
  expect(after(rows(60), { maxPages: 10, profile: other }, 9000).verdict).toBe('reading');
});

test('beyond the end is asked as often as chance demands', () => {
  expect(after([FIRST, [3]], {}, 3).verdict).toBe('complete');
  // Whether the total agrees is said with the first page and with the last one.
  expect(after([FIRST, [3, 4, 5], [5]], {}, [5, 5, 6]).probes).toBe(1);
  expect(after([FIRST, [3, 4], [4]]).probes, 'the last page may be shorter').toBe(1);
  expect(after([FIRST, [3]], {}, 9).probes).toBe(2);
  expect(after([FIRST, [3]], { profile: UNEVEN }, 3).probes).toBe(3);
  const other = { ...PROFILE, totalMeaning: 'other' } as const;
  expect(after([FIRST, [3]], { profile: other }, 3).probes).toBe(1);
});

test('where pages come short at random, a fault beyond the end may hide a row', () => {
  expect(after([FIRST, [3], FAULT], { profile: UNEVEN }).verdict).toBe('shifted');
  expect(after([FIRST, [3], FAULT], { profile: UNEVEN, mayMove: true }).verdict).toBe('faulty');
});

test('a whole list does not end where the shop fails, unless its total says so', () => {
  const other = { ...PROFILE, totalMeaning: 'other' } as const;
  const moving = { mayMove: true, profile: other };
  expect(after([FIRST, [3], FAULT], moving).verdict).toBe('faulty');
  expect(after([FIRST, [3], FAULT], moving, 9).verdict).toBe('faulty');
  expect(after([FIRST, [3], FAULT], moving, 3).verdict).toBe('complete');
});

test('one row is all where that is to be found out, and nothing comes beyond it three times', () => {
  expect(after([[1]]).verdict).toBe('few');
  expect(after([[1], [], [], []], { mayBeSingle: true }).verdict).toBe('complete');
  expect(after([[1], [], [], [2]], { mayBeSingle: true }).verdict).toBe('shifted');
});

test('a list that may move is read on as long as pages share some row, and else from one page before', () => {
  const moving = { mayMove: true, mayBeSingle: true };
  expect(after([FIRST, [2, 3, 4]], moving)).toMatchObject({ verdict: 'reading', start: 4, idle: 0 });
  expect(after([FIRST, [3, 4, 5], [7, 8]], moving)).toMatchObject({ verdict: 'reading', start: 2, idle: 1 });
  // Back at the beginning, the first page again is no surprise.
  expect(after([FIRST, [7, 8], FIRST], moving)).toMatchObject({ verdict: 'reading', start: 2, idle: 2 });
  // The last row came alone by chance: it is asked from again.
  expect(after([FIRST, [3], [4]], moving)).toMatchObject({ verdict: 'reading', start: 2, probes: undefined });
  // There, too, an empty response is asked for again.
  expect(after([FIRST, [], [], [], []], moving)).toMatchObject({ verdict: 'reading', start: 1, idle: 1 });
  expect(after([[], [], []], moving).verdict).toBe('few');
  const gaps = Array.from({ length: 51 }, () => [7, 8]);
  expect(after([FIRST, ...gaps], moving).verdict).toBe('shifted');
});

test('a list teaches how pages end and what the total counts, as far as it was read', () => {
  const learn = (responses: readonly Response[], total?: number) =>
    learnList(PROFILE, after(responses, { maxPages: 2 }, total));
  expect(learn([FIRST])).toBe(PROFILE);
  expect(learn([FIRST, [4]])).toBe(PROFILE);
  expect(learn([FIRST, [3]], 3)).toEqual({ ...PROFILE, totalMeaning: 'matches' });
  expect(learn([FIRST, [3], []], 2)).toEqual({ ...PROFILE, totalMeaning: 'other' });
  expect(learn([FIRST, [3, 4, 5]])).toEqual({ ...PROFILE, pageRows: 3 });
  expect(learn([FIRST, [3], [4]])).toEqual(UNEVEN);
  const moved = (responses: readonly Response[]) => learnList(PROFILE, after(responses));
  expect(moved([FIRST, [3, 4], [4, 5, 6], [6, 7], FIRST])).toEqual(UNEVEN);
  expect(moved([FIRST, [3, 4, 5], [5, 6], [6, 7, 8], FIRST])).toEqual(UNEVEN);
  expect(moved([FIRST, [3, 4], [4, 5, 6], [6, 7]]), 'what is not read to its end says nothing').toBe(PROFILE);
  expect(moved([FIRST, [3, 4, 5], [5, 6, 7], [7, 8], FIRST]), 'the last two say nothing').toBe(PROFILE);
});
