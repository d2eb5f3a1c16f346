import { byTime, minutesBetween } from '../../window.ts';
import { askPage } from './ask-page.ts';
import type { Dates } from './asked-dates.ts';
import { unlessRefused } from './date-filter.ts';
import { isSorted, placeRows } from './list-ends.ts';
import { pageCapacity } from './page-profile.ts';
import type { PagingDeps } from './request-page.ts';

type Times = readonly Temporal.PlainDateTime[];

/** How long ago the newest order is looked for: a shop that rests for months takes a few requests. */
const DAYS_AGO = [1, 4, 16, 64, 256, 1024, 4096];
/** Of a full page in no order of time, this share of its rows is newer than where the next one begins. */
const NEWER_SHARE = 1 / 4;
const MAX_NARROWED = 8;

/**
 * When about a page of the newest orders was placed, newest first. For the size of windows only: rows of the same days may be
 * newer.
 *
 * @param sample created minutes of the first rows of all orders, in the order of the list
 * @param total orders by the shop's own count
 * @param now shop-local, give or take a day
 * @param enough orders that show how densely the newest ones lie
 * @returns none where no request shows any order
 */
export async function findNewest(
  deps: PagingDeps,
  sample: Times,
  total: number | undefined,
  now: Temporal.PlainDateTime,
  enough: number,
): Promise<Times> {
  if (isSorted(sample, -1)) return sample;
  const [first] = sample.slice(-1);
  const ends = isSorted(sample, 1) && total !== undefined;
  const last = ends ? await askTimes(deps, {}, Math.max(0, total - pageCapacity(deps.book.profile))) : [];
  if (first && last[0] && isSorted([first, ...last], 1)) return last.toReversed();
  let [end, few]: [Temporal.PlainDateTime, Times] = [now, []];
  for (const days of DAYS_AGO) {
    const from = now.subtract({ days });
    const times = await askTimes(deps, { from }, 0);
    // Of a count of all and a page in no order of time, the newest row is new enough.
    const isEnough = times.length >= enough;
    if (isEnough && (total === undefined || isSorted(times, 1))) return narrow(deps, times, end, enough);
    if (isEnough) return times.toSorted(newestFirst);
    if (times.length === 0) end = from;
    else few = times;
  }
  return few.toSorted(newestFirst);
}

/** Of a full page, more rows may be newer: they are asked for until they fit one. */
async function narrow(
  deps: PagingDeps,
  found: Times,
  before: Temporal.PlainDateTime,
  enough: number,
): Promise<Times> {
  let [times, end] = [found, before];
  for (let tries = 0; tries < MAX_NARROWED && times.length >= pageCapacity(deps.book.profile); tries++) {
    const sorted = times.toSorted(newestFirst);
    const [newest, newer] = [sorted[0], sorted[Math.floor(sorted.length * NEWER_SHARE)]];
    if (newest === undefined || newer === undefined) break;
    const minutes = Math.floor(minutesBetween(newest, end) / 2);
    if (minutes < 1) break;
    // In order of time all others are newer than these.
    const from = isSorted(times, 1) ? newest.add({ minutes }) : newer;
    const others = await askTimes(deps, { from }, 0);
    if (others.length >= enough) times = others;
    else end = from;
  }
  return times.toSorted(newestFirst);
}

const newestFirst = (one: Temporal.PlainDateTime, other: Temporal.PlainDateTime) => byTime(other, one);

async function askTimes(deps: PagingDeps, dates: Partial<Dates>, start: number): Promise<Times> {
  const page = await unlessRefused(askPage(deps, { from: undefined, to: undefined, ...dates }, start));
  return page === undefined ? [] : placeRows(deps, page.rows).map(({ time }) => time);
}
