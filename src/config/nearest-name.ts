/** Letters that a typo may get wrong. */
const MAX_EDIT_DISTANCE = 2;

/** @returns the name that was probably meant: the nearest one at most two letters away */
export function nearestName(input: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, distance: editDistance(input, name) }))
    .filter(({ distance }) => distance <= MAX_EDIT_DISTANCE)
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.name;
}

/** The number of letters to insert, remove or replace to turn one text into the other. */
function editDistance(from: string, to: string): number {
  // Skips the work if the lengths alone differ too much: a text may be of any length.
  if (Math.abs(from.length - to.length) > MAX_EDIT_DISTANCE) return Math.abs(from.length - to.length);
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
