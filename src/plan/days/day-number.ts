const DAY_MS = 86_400_000;

/** Consecutive for consecutive days, 0 for 1970-01-01; much faster than calendar arithmetic. */
export function dayNumber({ year, month, day }: Temporal.PlainDate): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / DAY_MS;
}

/** Whether a day was over at an instant, in a time zone. */
export function hasEnded(day: Temporal.PlainDate, at: Temporal.Instant, timezone: string): boolean {
  // Nowhere does a day end later than 12 hours after it does in UTC. Most were verified since, and need no calendar.
  if (at.epochMilliseconds >= (dayNumber(day) + 1.5) * DAY_MS) return true;
  return Temporal.PlainDate.compare(at.toZonedDateTimeISO(timezone).toPlainDate(), day) > 0;
}
