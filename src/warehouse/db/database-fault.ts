/** Facts of an error: the message may quote rows. */
export type DatabaseFault = {
  readonly code: string | undefined;
  readonly message: string;
  /** `FATAL` ends the connection. */
  readonly severity: string | undefined;
  readonly table: string | undefined;
  readonly constraint: string | undefined;
};

/** The innermost matching cause of an error: Drizzle and pg wrap the errors of the server and the network. */
export function findFault(
  error: unknown,
  isWanted: (fault: DatabaseFault) => boolean,
): DatabaseFault | undefined {
  let found: DatabaseFault | undefined;
  for (let cause = error; cause instanceof Error; cause = nextCause(cause)) {
    const fault = {
      code: readText(cause, 'code'),
      message: cause.message,
      severity: readText(cause, 'severity'),
      table: readText(cause, 'table'),
      constraint: readText(cause, 'constraint'),
    };
    if (isWanted(fault)) found = fault;
  }
  return found;
}

function nextCause(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause;
}

function readText(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}
