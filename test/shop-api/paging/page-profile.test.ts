import { expect, test } from 'vitest';

import {
  learnBothDates,
  learnPages,
  learnTotal,
  learnUneven,
  pageCapacity,
  type PageProfile,
  unknownProfile,
  withLimit,
} from '../../../src/shop-api/paging/page-profile.ts';

const UNKNOWN = unknownProfile(500);
const OF_100: PageProfile = { ...UNKNOWN, pageRows: 100 };
const UNEVEN: PageProfile = { ...OF_100, isUneven: true };

test.each<[string, PageProfile, PageProfile]>([
  ['an only page may be a short one, and tells nothing at first', learnPages(UNKNOWN, [100], true), UNKNOWN],
  [
    'an only page that is longer tells that it fits',
    learnPages({ ...OF_100, pageRows: 50 }, [100], true),
    OF_100,
  ],
  ['an only page that is shorter tells nothing', learnPages(OF_100, [30], true), OF_100],
  ['a page that is followed by more is a full one', learnPages(UNKNOWN, [100, 20], true), OF_100],
  [
    'a cap that was lowered is seen by the first full page',
    learnPages(OF_100, [50, 50, 1], true),
    { ...OF_100, pageRows: 50 },
  ],
  ['a cap that was raised as well', learnPages(OF_100, [200, 7], true), { ...OF_100, pageRows: 200 }],
  ['of a list that goes on, the last page is full too', learnPages(UNKNOWN, [100, 20], false), { ...UNEVEN }],
  ['full pages of several lengths are uneven', learnPages(OF_100, [100, 60, 100, 5], true), UNEVEN],
  ['a last page longer than those before it is uneven', learnPages(OF_100, [60, 100], true), UNEVEN],
  ['one even page does not end that', learnPages(UNEVEN, [100, 5], true), UNEVEN],
  ['three in a row do', learnPages(UNEVEN, [100, 100, 100, 5], true), OF_100],
  ['a page that is short though it is not the last', learnUneven(OF_100), UNEVEN],
  ['one date that is taken for none', learnBothDates(UNKNOWN), { ...UNKNOWN, wantsBothDates: true }],
  ['another limit opens the length of pages', withLimit(UNEVEN, 200), { ...UNEVEN, limit: 200, pageRows: 0 }],
  ['the same limit changes nothing', withLimit(OF_100, 500), OF_100],
])('%s', (_name, learned, expected) => {
  expect(learned).toEqual(expected);
});

test('a total matches where it is the number that was proven, and each proof decides anew', () => {
  const matches = learnTotal(UNKNOWN, 20, 20);
  expect(matches.totalMeaning).toBe('matches');
  expect(learnTotal(matches, 20, 300).totalMeaning).toBe('other');
  expect(learnTotal(learnTotal(matches, 20, 300), 0, 0).totalMeaning).toBe('matches');
  expect(learnTotal(matches, 20, undefined)).toBe(matches);
});

test('a page is expected to hold what a full one did, and before one was seen, what is asked for', () => {
  const longer = { ...OF_100, pageRows: 900 };
  const single = { ...OF_100, pageRows: 1 };
  expect([UNKNOWN, OF_100, longer, single].map(pageCapacity)).toEqual([500, 100, 500, 500]);
});
