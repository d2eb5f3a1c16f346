/** The result of parsing one value: the column's value, and what was wrong. */
import type { JsonValue } from '../json.ts';

export type Reading<T> = {
  /** Null: the column stays empty. */
  readonly value: T | null;
  /** One constant sentence per problem. */
  readonly problems: readonly string[];
};

/** Gets only present values: a {@link RecordReader} handles absent and blank ones. */
export type Parse<T> = (value: JsonValue) => Reading<T>;

const NONE: readonly string[] = [];

export function accepted<T>(value: T | null, problems: readonly string[] = NONE): Reading<T> {
  return { value, problems };
}

export function refused(reason: string): Reading<never> {
  return { value: null, problems: [reason] };
}
