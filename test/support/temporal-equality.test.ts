import { expect, test } from 'vitest';

const TIME = '2026-03-05T10:00';
const instant = Temporal.Instant.from(`${TIME}Z`);

test.each([
  ['PlainDate', Temporal.PlainDate.from(TIME), Temporal.PlainDate.from('2026-03-06')],
  ['PlainDateTime', Temporal.PlainDateTime.from(TIME), Temporal.PlainDateTime.from('2026-03-05T10:01')],
  ['Instant', instant, instant.add({ nanoseconds: 1 })],
  ['ZonedDateTime', instant.toZonedDateTimeISO('UTC'), instant.toZonedDateTimeISO('Europe/Berlin')],
  ['Duration', Temporal.Duration.from('PT1H'), Temporal.Duration.from('PT2H')],
])('two of %s are equal by their value, in every comparison', (_kind, one, other) => {
  expect([{ at: one }]).toMatchObject([{ at: one }]);
  expect([{ at: one }]).not.toMatchObject([{ at: other }]);
  expect({ at: one }).not.toEqual({ at: other });
  expect({ at: one }).not.toMatchObject({ at: String(one) });
  expect({ at: one }).toMatchObject({ at: expect.anything() });
});
