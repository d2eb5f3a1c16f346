import { expect, test } from 'vitest';

import {
  learnPages,
  learnTotal,
  pageCapacity,
  type PageProfile,
  unknownProfile,
  withLimit,
} from '../../../src/shop-api/paging/page-profile.ts';

const UNKNOWN = unknownProfile(500);
const OF_100: PageProfile = { ...UNKNOWN, pageRows: 100 };
const UNEVEN: PageProfile = { ...OF_100, isUneven: true };

test.each<[string, PageProfile, readonly number[], Partial<PageProfile>]>([
  ['nothing, without a full page', UNKNOWN, [], UNKNOWN],
  ['how long a full page is', UNKNOWN, [30, 30], { pageRows: 30, isUneven: false }],
  ['that pages come short', OF_100, [100, 98, 100], { pageRows: 100, isUneven: true }],
  ['after two even pages still so', UNEVEN, [100, 100], { isUneven: true }],
  ['after three, that they do no longer', UNEVEN, [100, 100, 100], { isUneven: false }],
])('pages show %s', (_what, before, full, after) => {
  expect(learnPages(before, full)).toMatchObject(after);
});

test('what a total counts is compared with what was read, and of none nothing is learned', () => {
  expect(learnTotal(UNKNOWN, 20, 20).totalMeaning).toBe('matches');
  expect(learnTotal(UNKNOWN, 20, 300).totalMeaning).toBe('other');
  expect(learnTotal(OF_100, 20, undefined)).toBe(OF_100);
});

test('another limit has other pages', () => {
  expect(withLimit(OF_100, 100)).toMatchObject({ limit: 100, pageRows: 0 });
  expect(withLimit(OF_100, 500)).toBe(OF_100);
});

test('a page is expected to hold what a full one did, and before one was seen, what is asked for', () => {
  const longer = { ...OF_100, pageRows: 900 };
  const single = { ...OF_100, pageRows: 1 };
  expect([UNKNOWN, OF_100, longer, single].map(pageCapacity)).toEqual([500, 100, 500, 500]);
});
