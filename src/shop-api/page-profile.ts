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
  if (profile.longestPage === 0) return received === 0;
  return received < Math.min(profile.longestPage, profile.limit);
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

/**
 * Compares `total` with the rows of a window that was read whole. An equal total means something only where the shop
 * is known to hold more orders than the window: then it cannot be the count of all.
 */
export function learnTotal(profile: PageProfile, rows: number, total: number | undefined): PageProfile {
  if (total === undefined) return profile;
  if (total !== rows) return profile.totalMeaning === 'all' ? profile : { ...profile, totalMeaning: 'all' };
  const isTelling = rows < profile.longestPage && profile.totalMeaning === 'unknown';
  return isTelling ? { ...profile, totalMeaning: 'matches' } : profile;
}
