/** What each page of a list shows of it: one response, and the state that follows. */
import { expect, test } from 'vitest';

import { TransientError } from '../../../src/errors.ts';
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

function toPage(ids: Response, total?: number): OrdersPage | PageFault {
  if (ids instanceof PageFault) return ids;
  const keys = ids.map(String);
  const rows = keys.map((orderId) => ({ orderId, raw: { order_id: orderId } }));
  return { rows, malformed: [], received: ids.length, keys, isKeyed: false, total };
}

/** The states after responses, one after another. */
function after(responses: readonly Response[], given: Partial<ListRules> = {}, total?: number) {
  const known = new Set<string>();
  const rules: ListRules = { profile: PROFILE, known, maxPages: 100, ...given };
  let list: ListState = NOTHING_READ;
  for (const response of responses) {
    expect(list.verdict).toBe('reading');
    const next = afterPage(list, toPage(response, total), rules);
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
  ['but not a row', [FIRST, [3], [4]], { verdict: 'shifted' }],
  [
    'a fault before the end is one of the list',
    [FIRST, FAULT],
    { verdict: 'faulty', start: 2, fault: FAULT },
  ],
  ['an empty response is asked for again', [FIRST, [], []], { verdict: 'reading', start: 2 }],
  ['twice', [FIRST, [], [], []], { verdict: 'shifted' }],
  ['and not where nothing was seen', [[]], { verdict: 'few' }],
  ['the first page again', [FIRST, FIRST], { verdict: 'start ignored' }],
  ['the first page later on', [FIRST, [3, 4, 5], FIRST], { verdict: 'shifted' }],
])('%s', (_what, responses, expected) => {
  expect(after(responses)).toMatchObject(expected);
});

test('beyond the end is asked as often as chance demands', () => {
  expect(after([FIRST, [3]], {}, 3).verdict).toBe('complete');
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
  expect(moved([FIRST, [3, 4, 5], [5, 6, 7], [7, 8], FIRST]), 'the last two say nothing').toBe(PROFILE);
});
