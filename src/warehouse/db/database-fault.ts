/** What an error says of its cause, for the choice of a sentence alone: the message may quote rows. */
export type DatabaseFault = {
  readonly code: string | undefined;
  readonly message: string;
  readonly table: string | undefined;
  readonly constraint: string | undefined;
};

/**
 * The innermost cause of an error that is of a kind: Drizzle and pg wrap what a server or the network said.
 *
 * @param isWanted whether a cause is of that kind
 */
export function findFault(
  error: unknown,
  isWanted: (fault: DatabaseFault) => boolean,
): DatabaseFault | undefined {
  let found: DatabaseFault | undefined;
  for (let cause = error; cause instanceof Error; cause = nextCause(cause)) {
    const fault = {
      code: textOf(cause, 'code'),
      message: cause.message,
      table: textOf(cause, 'table'),
      constraint: textOf(cause, 'constraint'),
    };
    if (isWanted(fault)) found = fault;
  }
  return found;
}

function nextCause(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause;
}

function textOf(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}
