/**
 * Finds the days of which the shop counts another number of orders than the warehouse, by bisection. Only the newer half is
 * counted: the difference of the older half is the rest. Differences that cancel each other out within a part are not found.
 *
 * Yields the days that differ, newest first, and counts only as far as the caller takes days.
 *
 * @param days oldest first
 * @param difference of all these days: orders that the shop counts minus orders that are stored
 * @param count returns the difference of some of these days; undefined, which ends the search, if it is not known
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
