/** The result of reading all orders that match some dates. */
import type { JsonValue } from '../../json.ts';
import type { ListRow, OrdersPage } from '../endpoints/list-orders.ts';

export type Matching =
  /** All of them, each once, with the proof that nothing follows and that nothing moved meanwhile. */
  | ({ readonly kind: 'complete'; readonly pages: number } & MatchingRows)
  /** More than so many pages, or more than a page of a shop that ignores `start`. */
  | ({ readonly kind: 'cut'; readonly isStartIgnored: boolean } & MatchingRows)
  /** Rows shifted, or the responses contradict each other. */
  | { readonly kind: 'moved'; readonly pages: number; readonly hasDuplicates?: boolean }
  /** None or one: there is no row before the last, and so no probe. */
  | ({ readonly kind: 'few' } & MatchingRows);

export type MatchingRows = {
  /** In the order of the list. */
  readonly rows: readonly ListRow[];
  /** Elements without a usable identifier. */
  readonly malformed: readonly JsonValue[];
  /** As reported with the first page. */
  readonly total: number | undefined;
  /** The instant before the first request: what the rows describe. */
  readonly askedAt: Temporal.Instant;
};

/** The rows of several pages, each once. */
export function collectRows(pages: readonly OrdersPage[], askedAt: Temporal.Instant): MatchingRows {
  const rows = new Map(pages.flatMap((page) => page.rows.map((row) => [row.orderId, row])));
  const malformed = new Map(
    pages.flatMap((page) => page.malformed.map((value) => [JSON.stringify(value), value])),
  );
  return { rows: [...rows.values()], malformed: [...malformed.values()], total: pages[0]?.total, askedAt };
}
