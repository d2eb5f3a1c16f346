import type { QueryError } from '../../warehouse/query/query-error.ts';
import type { View } from '../../warehouse/query/read-views.ts';

/** What the query might have read. */
export type Readable = {
  /** Of `bi` and `bi_pii`, whether the role may read them or not. */
  readonly views: readonly View[];
  readonly role: string;
  /** The value of `--timeout`. */
  readonly timeout: string;
};

/** A query that failed. */
export type Mistake = Readable & {
  readonly error: QueryError;
  readonly query: string;
  /** The query with a ⌖ where PostgreSQL points, or at its end. */
  readonly marked: string;
};

export const LIST_VIEWS =
  'order-sync sql --views lists the views, and order-sync sql --views VIEW the columns of one.';
