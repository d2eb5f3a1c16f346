import type { Cleared } from '../../src/model/persons.ts';

/** A record of a test as if nothing of it had to be removed. */
export function cleared<T>(value: T): Cleared<T> {
  return value as Cleared<T>;
}
