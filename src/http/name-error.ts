import { ShapeError, TerminalError, TransientError, UnavailableError } from '../errors.ts';

/** The same error, its message preceded by what was requested. @param what such as `GET /orders` */
export function nameError(error: unknown, what: string): unknown {
  if (error instanceof UnavailableError) return new UnavailableError(`${what}: ${error.message}`, error);
  if (error instanceof ShapeError) return new ShapeError(`${what}: ${error.message}`, error);
  if (error instanceof TerminalError) return new TerminalError(`${what}: ${error.message}`, error);
  if (error instanceof TransientError) return new TransientError(`${what}: ${error.message}`, error);
  return error;
}
