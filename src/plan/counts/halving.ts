/**
 * Finds the days on which a shop counts other orders than are held, by halves: the newer one is counted, the older one
 * follows. Differences that cancel each other out within a stretch are not found.
 */

/** Consecutive days, by their places in a list. */
export type Stretch = { readonly first: number; readonly last: number };

/**
 * Yields the places of the days that differ, newest first, and counts no more than those that are taken need.
 *
 * @param difference of the whole stretch: orders that the shop counts more than are held
 * @param count the difference of a part of it; undefined, which ends the search, where it is not known
 */
export async function* differingDays(
  { first, last }: Stretch,
  difference: number,
  count: (part: Stretch) => Promise<number | undefined>,
): AsyncGenerator<number, 'unknown' | undefined> {
  if (difference === 0) return undefined;
  if (first === last) {
    yield first;
    return undefined;
  }
  const middle = Math.floor((first + last) / 2);
  const half = { first: middle + 1, last };
  const newer = await count(half);
  if (newer === undefined || (yield* differingDays(half, newer, count)) === 'unknown') return 'unknown';
  return yield* differingDays({ first, last: middle }, difference - newer, count);
}
