import type { QueryError } from '../../warehouse/query/query-error.ts';
import { readStatementText } from '../../warehouse/query/statement-text.ts';
import { findHint, ONLY_READS, type Readable } from './query-hints.ts';
import { pointer } from './query-pointer.ts';
import { visible } from './rows/display-text.ts';

/** Statements that change data or the database, and what makes a query one of them. */
const WRITE_WORDS =
  'INSERT|UPDATE|DELETE|MERGE|REPLACE|COPY|DO|CALL|CREATE|ALTER|DROP|TRUNCATE|GRANT|REVOKE|COMMENT|REASSIGN|' +
  'SECURITY|IMPORT|REFRESH|REINDEX|CLUSTER|VACUUM|ANALYZE|ANALYSE|LOCK|CHECKPOINT';
const WRITE = new RegExp(
  String.raw`^[\s;]*(${WRITE_WORDS})\b|\b(INSERT|MERGE)\s+INTO\b|\bDELETE\s+FROM\b|\bFOR\s+(NO\s+KEY\s+|KEY\s+)?(UPDATE|SHARE)\b`,
  'i',
);
const SELECT_INTO = /^\s*(SELECT|WITH)\b.*\bINTO\b/is;

/**
 * The message of PostgreSQL, the line of the query that it points at, and what to do.
 *
 * @param readable what the query might have read; `columns` of the terminal, undefined: no line is cut
 */
export function describeQueryFailure(
  error: QueryError,
  query: string,
  readable: Readable & { readonly columns: number | undefined },
): string {
  const { bare, count } = readStatementText(query);
  if (isWrite(error, bare)) return `The query was refused: ${ONLY_READS}\n`;
  // Of all syntax errors, only this one has no place.
  if (error.code === '42601' && error.position === undefined && count > 1) {
    return `The query failed: these are ${count} statements; run one at a time.\n`;
  }
  const hint = findHint(error, query, bare, readable) ?? error.hint;
  return [
    `The query failed: ${visible(error.message)}`,
    ...(error.detail === undefined ? [] : [visible(error.detail)]),
    ...pointer(query, error.position, readable.columns),
    ...(hint === undefined ? [] : [`Hint: ${visible(hint)}`]),
    '',
  ].join('\n');
}

/** A view that cannot be written says how it could be: by a trigger, which is no advice to a reader. */
function isWrite({ code, hint }: QueryError, bare: string): boolean {
  if (WRITE.test(bare) || (code === undefined && SELECT_INTO.test(bare))) return true;
  return code === '55000' && hint?.includes('INSTEAD OF') === true;
}
