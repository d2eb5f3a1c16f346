/**
 * What was seen lately of how a shop's order list pages. Immutable: each lesson gives a new profile.
 *
 * These are hints. They size windows, and they make a walk more careful; none of them ever replaces a request that a
 * proof needs, since a shop changes its page cap and its `total` without a word.
 */
export type PageProfile = {
  /** `limit` of list requests. */
  readonly limit: number;
  /** Rows of a full page, as far as one was seen; 0 before the first. */
  readonly pageRows: number;
  /** Pages came short without being the last: a short page says nothing. */
  readonly isUneven: boolean;
  /** Whether `total` was the number of matching orders when that number was last proven. */
  readonly totalMeaning: 'unknown' | 'matches' | 'other';
  /** A request with one date only was answered as if it had none: both dates are sent. */
  readonly wantsBothDates: boolean;
  /** A request without dates, or with one, was answered with a part of the orders: all carry both. */
  readonly isUndatedPartial: boolean;
  /** Rows of a list beyond which more were hidden, whatever its `total` said; undefined where none was seen. */
  readonly endsAt: number | undefined;
};

/** So many even pages in a row count as the end of the fault. */
const EVEN_PAGES = 3;

/** @param limit at least 2, since pages overlap in one row */
export function unknownProfile(limit: number): PageProfile {
  return {
    limit,
    pageRows: 0,
    isUneven: false,
    totalMeaning: 'unknown',
    wantsBothDates: false,
    isUndatedPartial: false,
    endsAt: undefined,
  };
}

/** A profile for requests with another `limit`. */
export function withLimit(profile: PageProfile, limit: number): PageProfile {
  return profile.limit === limit ? profile : { ...profile, limit, pageRows: 0 };
}

/** Rows that a page is expected to hold; before the first full page, what is asked for. */
export function pageCapacity({ limit, pageRows }: PageProfile): number {
  return pageRows > 1 ? Math.min(limit, pageRows) : limit;
}

/**
 * Learns from the pages of one list, in their order: all but the last are full ones, unless pages come short at random
 * or are cut by their size in bytes.
 *
 * @param isEnded whether the last page ends the list, and so may be shorter
 */
export function learnPages(profile: PageProfile, received: readonly number[], isEnded: boolean): PageProfile {
  const full = isEnded ? received.slice(0, -1) : received;
  const largest = Math.max(...received);
  const isUneven = full.some((rows) => rows !== largest);
  // A page that ends the list may be a short one: it only shows that at least so many rows fit.
  if (full.length === 0)
    return largest > profile.pageRows && profile.pageRows > 0 ? { ...profile, pageRows: largest } : profile;
  const isEven = !isUneven && full.length >= EVEN_PAGES;
  return { ...profile, pageRows: largest, isUneven: isUneven || (profile.isUneven && !isEven) };
}

export function learnUneven(profile: PageProfile): PageProfile {
  return { ...profile, isUneven: true };
}

export function learnBothDates(profile: PageProfile): PageProfile {
  return { ...profile, wantsBothDates: true };
}

/** @param isUndatedOnly the rows that are hidden come where the same is asked for with dates */
export function learnHidden(profile: PageProfile, received: number, isUndatedOnly: boolean): PageProfile {
  return isUndatedOnly ? { ...profile, isUndatedPartial: true } : { ...profile, endsAt: received };
}

/** Compares `total` with the number of matching orders that was proven. */
export function learnTotal(profile: PageProfile, matches: number, total: number | undefined): PageProfile {
  if (total === undefined) return profile;
  return { ...profile, totalMeaning: total === matches ? 'matches' : 'other' };
}
