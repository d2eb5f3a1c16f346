/** What a parser makes of one value: the value for the column, and what was wrong with it. */
import type { JsonValue } from '../json.ts';

export type Reading<T> = {
  /** Null: the column stays empty. */
  readonly value: T | null;
  /** One constant sentence per thing that was wrong; empty when the value is good. */
  readonly problems: readonly string[];
};

/** Reads a value that is there: a {@link RecordReader} keeps absent and blank ones away. */
export type Parse<T> = (value: JsonValue) => Reading<T>;

const NONE: readonly string[] = [];

export function accepted<T>(value: T | null, problems: readonly string[] = NONE): Reading<T> {
  return { value, problems };
}

export function refused(reason: string): Reading<never> {
  return { value: null, problems: [reason] };
}
