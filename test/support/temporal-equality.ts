/**
 * Compares times by their value everywhere. Without it `toMatchObject` takes all of one kind for equal, since they have no
 * properties of their own.
 */
import { expect } from 'vitest';

const KINDS = [
  Temporal.Instant,
  Temporal.PlainDate,
  Temporal.PlainDateTime,
  Temporal.PlainTime,
  Temporal.ZonedDateTime,
  Temporal.Duration,
];

expect.addEqualityTesters([
  (one: unknown, other: unknown) => {
    const kind = KINDS.find((each) => one instanceof each || other instanceof each);
    if (kind === undefined) return undefined;
    return one instanceof kind && other instanceof kind && String(one) === String(other);
  },
]);
