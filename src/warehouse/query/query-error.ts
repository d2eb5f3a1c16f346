import { DatabaseError } from 'pg';

type QueryFault = {
  /** SQLSTATE, where the server refused it. */
  readonly code?: string | undefined;
  /** Where in the query, in characters from 1. */
  readonly position?: number | undefined;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
};

/** A query of somebody's own failed. The message is the server's, and may quote values. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly fault: QueryFault;

  constructor(message: string, fault: QueryFault = {}, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Classes of SQLSTATE that speak of the connection or the server, not of the query. */
const OF_SERVER = /^(08|28|53|57P|58|XX)/;

/** The error to throw for one of the server's about a query; others are returned as they are. @param text of the query */
export function toQueryError(error: unknown, text: string): unknown {
  if (!(error instanceof DatabaseError) || OF_SERVER.test(error.code ?? '')) return error;
  // Some errors are found when the query is described, others when the function runs it.
  const internal = error.internalQuery === text ? error.internalPosition : undefined;
  const position = Number(error.position ?? internal);
  const { code, detail, hint } = error;
  const fault = { code, detail, hint, position: Number.isInteger(position) ? position : undefined };
  return new QueryError(error.message, fault, error);
}
