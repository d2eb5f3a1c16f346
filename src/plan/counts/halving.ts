/**
 * Finds the days on which a shop counts other orders than are held, by halves: the newer one is counted, the older one
 * follows. Differences that cancel each other out within a part are not found.
 *
 * Yields the days that differ, newest first, and counts no more than those that are taken need.
 *
 * @param days oldest first
 * @param difference of all of them: orders that the shop counts more than are held
 * @param count the difference of a part of them; undefined, which ends the search, where it is not known
 */
export async function* differingDays<Day>(
  days: readonly Day[],
  difference: number,
  count: (part: readonly Day[]) => Promise<number | undefined>,
): AsyncGenerator<Day, 'unknown' | undefined> {
  if (difference === 0) return undefined;
  if (days.length <= 1) {
    yield* days;
    return undefined;
  }
  const middle = Math.ceil(days.length / 2);
  const half = days.slice(middle);
  const newer = await count(half);
  if (newer === undefined || (yield* differingDays(half, newer, count)) === 'unknown') return 'unknown';
  return yield* differingDays(days.slice(0, middle), difference - newer, count);
}
