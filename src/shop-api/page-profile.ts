/**
 * What was learned of how a shop's order list pages. Immutable: each lesson gives a new profile.
 *
 * Neither the largest page nor the meaning of `total` is documented, so both are observed, never assumed.
 */
export type PageProfile = {
  /** `limit` of the requests that the profile was learned with. */
  readonly limit: number;
  /** Rows of the longest page seen: the server is able to return that many. */
  readonly longestPage: number;
  /** A page of that length was followed by more rows: it is also the most that the server returns. */
  readonly isCapProven: boolean;
  readonly totalMeaning: 'unknown' | 'matches' | 'all';
  /** The same page came whatever `start` was. */
  readonly ignoresStart: boolean;
};

/** A server that is asked for more is taken to be able to return that many rows. */
const LEAST_CAP = 2;

/** @param limit at least 2, since pages overlap in one row */
export function unknownProfile(limit: number): PageProfile {
  return { limit, longestPage: 0, isCapProven: false, totalMeaning: 'unknown', ignoresStart: false };
}

/** A profile for requests with another `limit`: what the server can do is kept, its cap is open again. */
export function withLimit(profile: PageProfile, limit: number): PageProfile {
  return profile.limit === limit ? profile : { ...profile, limit, isCapProven: false };
}

/** Rows that one page is known to be able to hold; before the first page, what is asked for. */
export function pageCapacity({ limit, longestPage, isCapProven }: PageProfile): number {
  return isCapProven ? Math.min(limit, longestPage) : limit;
}

/** Whether a page, the first of its walk, proves on its own that nothing follows. */
export function isFinalPage(profile: PageProfile, received: number, total: number | undefined): boolean {
  if (profile.totalMeaning === 'matches' && total !== undefined) return total === received;
  return received < Math.min(Math.max(profile.longestPage, LEAST_CAP), profile.limit);
}

/** Whether a page that is not final is known to be a full one, so that asking what follows teaches nothing. */
export function isFullPage(profile: PageProfile, received: number): boolean {
  return (
    profile.ignoresStart ||
    received >= profile.limit ||
    (profile.isCapProven && received === profile.longestPage)
  );
}

export function learnPage(profile: PageProfile, received: number): PageProfile {
  if (received <= profile.longestPage) return profile;
  return { ...profile, longestPage: received, isCapProven: false };
}

/** A page of so many rows was followed by others. */
export function learnCap(profile: PageProfile, received: number): PageProfile {
  return received === profile.longestPage ? { ...profile, isCapProven: true } : profile;
}

export function learnIgnoredStart(profile: PageProfile): PageProfile {
  return { ...profile, ignoresStart: true };
}

/** Another page came for another `start`. */
export function learnHonouredStart(profile: PageProfile): PageProfile {
  return profile.ignoresStart ? { ...profile, ignoresStart: false } : profile;
}

/**
 * Compares `total` with the rows of a window that was read whole in one answer. An equal total means something only
 * where the shop is known to hold more orders than the window: then it cannot be the count of all. The latest lesson
 * holds, so that a passing fault does not stay.
 */
export function learnTotal(profile: PageProfile, rows: number, total: number | undefined): PageProfile {
  if (total === undefined || (total === rows && rows >= profile.longestPage)) return profile;
  const totalMeaning = total === rows ? 'matches' : 'all';
  return profile.totalMeaning === totalMeaning ? profile : { ...profile, totalMeaning };
}

/** What the total counts is open again. */
export function forgetTotal(profile: PageProfile): PageProfile {
  return profile.totalMeaning === 'unknown' ? profile : { ...profile, totalMeaning: 'unknown' };
}
