/**
 * What was seen lately of how a shop's order list pages. These are hints: they size windows and say what `total` counts. None
 * of them replaces a request that a proof needs, since a shop changes its page cap and its `total` without a word.
 */
export type PageProfile = {
  /** `limit` of list requests. */
  readonly limit: number;
  /** Rows of a full page, as far as one was seen; 0 before the first. */
  readonly pageRows: number;
  /** Pages came short without being the last. */
  readonly isUneven: boolean;
  /** Whether `total` was the number of matching orders when that number was last proven. */
  readonly totalMeaning: 'unknown' | 'matches' | 'other';
};

/** So many even pages in a row count as the end of the fault. */
const EVEN_PAGES = 3;

/** @param limit at least 2, since pages overlap in one row */
export function unknownProfile(limit: number): PageProfile {
  return { limit, pageRows: 0, isUneven: false, totalMeaning: 'unknown' };
}

/** A profile for requests with another `limit`. */
export function withLimit(profile: PageProfile, limit: number): PageProfile {
  return profile.limit === limit ? profile : { ...profile, limit, pageRows: 0 };
}

/** Rows that a page is expected to hold; before the first full page, what is asked for. */
export function pageCapacity({ limit, pageRows }: PageProfile): number {
  return pageRows > 1 ? Math.min(limit, pageRows) : limit;
}

/** Learns from the rows of pages that others went on from: they are full ones, unless pages come short at random or by size. */
export function learnPages(profile: PageProfile, full: readonly number[]): PageProfile {
  if (full.length === 0) return profile;
  const largest = Math.max(...full);
  const isUneven = full.some((rows) => rows !== largest);
  const isEven = !isUneven && full.length >= EVEN_PAGES;
  return { ...profile, pageRows: largest, isUneven: isUneven || (profile.isUneven && !isEven) };
}

/** Compares `total` with the number of matching orders that was read. */
export function learnTotal(profile: PageProfile, matches: number, total: number | undefined): PageProfile {
  if (total === undefined) return profile;
  return { ...profile, totalMeaning: total === matches ? 'matches' : 'other' };
}
