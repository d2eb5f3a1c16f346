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
): AsyncGenerator<Day> {
  const parts = [{ days, difference }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part.difference === 0) continue;
    if (part.days.length <= 1) {
      yield* part.days;
      continue;
    }
    const middle = Math.ceil(part.days.length / 2);
    const newer = part.days.slice(middle);
    const ofNewer = await count(newer);
    if (ofNewer === undefined) return;
    parts.push({ days: part.days.slice(0, middle), difference: part.difference - ofNewer });
    parts.push({ days: newer, difference: ofNewer });
  }
}
