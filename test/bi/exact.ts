/** Exact arithmetic and comparison for what the views must say. */

/** `numerator / denominator` with a number of decimal digits, halves rounded up; both whole, as the database does. */
export function quotient(numerator: number, denominator: number, digits: number): string {
  const scaled = BigInt(numerator) * 10n ** BigInt(digits) * 2n;
  const rounded = (scaled + BigInt(denominator)) / (2n * BigInt(denominator));
  const text = rounded.toString().padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

export const money = (cents: number) => `${cents < 0 ? '-' : ''}${quotient(Math.abs(cents), 100, 2)}`;

/** Cents per piece; null where there is none. */
export const average = (cents: number, pieces: number) =>
  pieces === 0 ? null : quotient(cents, 100 * pieces, 2);

export const percent = (part: number, whole: number) => quotient(100 * part, whole, 4);

export const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/** Groups of items that agree in every part of the key. */
export function groups<Item>(
  items: readonly Item[],
  key: (item: Item) => readonly unknown[],
): readonly (readonly [Item, ...Item[]])[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(key(item))).values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [[first, ...rest] as const],
  );
}

/** Rows as text in an order of our own: a view has none. */
export function asSet(rows: readonly object[]): readonly string[] {
  const entries = (row: object) => Object.entries(row).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return rows.map((row) => JSON.stringify(Object.fromEntries(entries(row)))).toSorted();
}
