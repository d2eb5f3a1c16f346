/** Where an audit goes on: it reads the list without dates page by page, over many sweeps. */
export type AuditPosition = {
  /** When its first page was requested. */
  readonly began: Temporal.Instant;
  /** Where the next page begins: with the last row of the page before it. */
  readonly start: number;
  /** The order in that row. */
  readonly last: string | undefined;
  /** Elements of the page before. */
  readonly rows: number;
  /** So many pages are taken whatever they begin with. */
  readonly free: number;
  /** Orders without a date that it has seen. */
  readonly undated: readonly string[];
};

export function firstPosition(began: Temporal.Instant): AuditPosition {
  return { began, start: 0, last: undefined, rows: 0, free: 1, undated: [] };
}

/**
 * Where to go on after a page: a page back where it does not show the row that it was to begin with, since rows have shifted.
 * Then the two pages to come are taken as they are, so that a list in no order ends, too.
 *
 * @param ids of the page's orders
 * @param received elements of the page
 * @returns undefined after the last page: it shows that row alone, or again what the page before it showed
 */
export function nextPosition(
  position: AuditPosition,
  ids: readonly string[],
  received: number,
): AuditPosition | undefined {
  const { free, last, rows, start } = position;
  const isShown = last !== undefined && ids.includes(last);
  if (free === 0 && !isShown) return { ...position, start: Math.max(0, start - rows), free: 2 };
  if (received <= 1 || (free === 0 && ids.at(-1) === last)) return undefined;
  const next = { start: start + received - 1, last: ids.at(-1), rows: received };
  return { ...position, ...next, free: Math.max(0, free - 1) };
}

/** Behind the row that alone makes the page fail. */
export function skipRow(position: AuditPosition): AuditPosition {
  // Where pages are taken as they are, the first row was not read either.
  return { ...position, start: position.start + (position.free > 0 ? 1 : 2), free: 1 };
}
