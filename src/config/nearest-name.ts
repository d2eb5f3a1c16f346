/** How many letters a slip of the keyboard gets wrong at most. */
const MOST_SLIPS = 2;

/** @returns the name that was probably meant: at most two letters away, the nearest first */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, slips: editDistance(given, name) }))
    .filter(({ slips }) => slips <= MOST_SLIPS)
    .toSorted((a, b) => a.slips - b.slips);
  return near[0]?.name;
}

/** The letters to insert, remove or replace to make one text of the other. */
function editDistance(from: string, to: string): number {
  // More letters apart than that is "not near", whatever the distance; a text may be of any length.
  if (Math.abs(from.length - to.length) > MOST_SLIPS) return Math.abs(from.length - to.length);
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of from.split('').entries()) {
    const next = [index + 1];
    for (const [column, other] of to.split('').entries()) {
      const [above = 0, left = 0, diagonal = 0] = [row[column + 1], next[column], row[column]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
