import type { QueryColumn, QueryRow } from '../../../warehouse/query/read-query.ts';

export const RESULT_FORMATS = ['table', 'csv', 'json'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

/** Writes the rows of a result, batch after batch. */
export type WriteRows = (
  columns: readonly QueryColumn[],
  batches: AsyncIterable<readonly QueryRow[]>,
) => Promise<void>;
