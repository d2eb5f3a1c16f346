import { expect, test } from 'vitest';

import {
  forgetTotal,
  isFinalPage,
  isFullPage,
  learnCap,
  learnHonouredStart,
  learnIgnoredStart,
  learnPage,
  learnTotal,
  pageCapacity,
  type PageProfile,
  unknownProfile,
  withLimit,
} from '../../src/shop-api/page-profile.ts';

const UNKNOWN = unknownProfile(500);
const SEEN_100: PageProfile = { ...UNKNOWN, longestPage: 100 };
const CAP_100: PageProfile = { ...SEEN_100, isCapProven: true };
const MATCHES: PageProfile = { ...SEEN_100, totalMeaning: 'matches' };
const ALL: PageProfile = { ...SEEN_100, totalMeaning: 'all' };
const DEAF: PageProfile = { ...SEEN_100, ignoresStart: true };

test.each<[string, PageProfile, PageProfile]>([
  ['a first page tells what the server is able to return', learnPage(UNKNOWN, 100), SEEN_100],
  ['a shorter page tells nothing', learnPage(CAP_100, 30), CAP_100],
  ['a longer page disproves the cap', learnPage(CAP_100, 120), { ...SEEN_100, longestPage: 120 }],
  ['a longest page that is followed by more proves the cap', learnCap(SEEN_100, 100), CAP_100],
  ['a short page that is followed by more proves nothing', learnCap(SEEN_100, 20), SEEN_100],
  ['an equal total below the longest page counts matches', learnTotal(SEEN_100, 20, 20), MATCHES],
  ['an equal total of the longest page may count anything', learnTotal(SEEN_100, 100, 100), SEEN_100],
  ['an equal total of the only page may count anything', learnTotal(UNKNOWN, 0, 0), UNKNOWN],
  ['a larger total counts all', learnTotal(SEEN_100, 20, 300), ALL],
  ['a total of all that was taken for matches is put right', learnTotal(MATCHES, 20, 300), ALL],
  ['a total of matches that was taken for all is put right', learnTotal(ALL, 20, 20), MATCHES],
  ['no total tells nothing', learnTotal(MATCHES, 20, undefined), MATCHES],
  ['a total in doubt is open again', forgetTotal(MATCHES), SEEN_100],
  ['the first page again shows that start is ignored', learnIgnoredStart(SEEN_100), DEAF],
  ['another page shows that it is not', learnHonouredStart(DEAF), SEEN_100],
  [
    'another limit opens the cap, not what the server can do',
    withLimit(CAP_100, 200),
    { ...SEEN_100, limit: 200 },
  ],
  ['the same limit changes nothing', withLimit(CAP_100, 500), CAP_100],
])('%s', (_name, learned, expected) => {
  expect(learned).toEqual(expected);
});

test.each<[string, PageProfile, number, number | undefined, boolean]>([
  ['an empty first page', UNKNOWN, 0, undefined, true],
  ['a first page of one row', UNKNOWN, 1, undefined, true],
  ['a first page', UNKNOWN, 2, 2, false],
  ['a page shorter than one seen before', SEEN_100, 99, undefined, true],
  ['a page as long as one seen before', SEEN_100, 100, undefined, false],
  ['a page longer than any before', SEEN_100, 101, undefined, false],
  ['a short page, the total being of all', ALL, 99, 5000, true],
  ['a page as long as a smaller limit', withLimit(SEEN_100, 50), 50, undefined, false],
  ['a page shorter than a smaller limit', withLimit(SEEN_100, 50), 49, undefined, true],
  ['a full page that holds all matches', MATCHES, 100, 100, true],
  ['a short page that holds fewer than match', MATCHES, 40, 80, false],
  ['an empty page where some match', MATCHES, 0, 80, false],
  ['a short page without the usual total', MATCHES, 40, undefined, true],
])('%s: final or not', (_name, profile, received, total, isFinal) => {
  expect(isFinalPage(profile, received, total)).toBe(isFinal);
});

test.each<[string, PageProfile, number, boolean]>([
  ['a page as long as the limit', SEEN_100, 500, true],
  ['a page beyond the limit', SEEN_100, 501, true],
  ['a page as long as the proven cap', CAP_100, 100, true],
  ['a page as long as the longest so far', SEEN_100, 100, false],
  ['a page below the cap', CAP_100, 99, false],
  ['any page where start is ignored', DEAF, 10, true],
])('%s: full or not', (_name, profile, received, isFull) => {
  expect(isFullPage(profile, received)).toBe(isFull);
});

test('a page is planned for the limit until a cap is proven', () => {
  expect([UNKNOWN, SEEN_100, CAP_100, withLimit(CAP_100, 50)].map(pageCapacity)).toEqual([500, 500, 100, 50]);
});
