/**
 * Finds the days on which a shop counts other orders than are held, by halves: the newer one is counted, the older one
 * follows. Differences that cancel each other out within a stretch are not found.
 */

/** Consecutive days, by their places in a list; `difference`: orders that the shop counts more than are held. */
export type Stretch = { readonly first: number; readonly last: number; readonly difference: number };

/** More days than these are not looked for in one descent: the newest are found, and others follow. */
const MAX_DAYS = 64;

/** How many days a difference is followed to at most; of a mass edit the newest one, to see that the counts are right. */
export function daysToFind(isOfMass: boolean): number {
  return isOfMass ? 1 : MAX_DAYS;
}

/** The half to count; undefined for a single day. */
export function newerHalf({ first, last }: Stretch): Omit<Stretch, 'difference'> | undefined {
  return first === last ? undefined : { first: Math.floor((first + last) / 2) + 1, last };
}

/**
 * The halves that differ, newest first; single days stay.
 *
 * @param newer the difference of each stretch's newer half; undefined for a single day
 * @param most the newest of the halves, so many at most, are followed
 */
export function halve(
  stretches: readonly Stretch[],
  newer: readonly (number | undefined)[],
  most: number,
): readonly Stretch[] {
  const halves = stretches.flatMap((stretch, index): readonly Stretch[] => {
    const half = newerHalf(stretch);
    const difference = newer[index];
    if (half === undefined || difference === undefined) return [stretch];
    const older = { first: stretch.first, last: half.first - 1, difference: stretch.difference - difference };
    return [{ ...half, difference }, older].filter((each) => each.difference !== 0);
  });
  return halves.slice(0, most);
}
