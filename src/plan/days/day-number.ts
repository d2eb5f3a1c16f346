const DAY_MS = 86_400_000;

/** Consecutive for consecutive days, 0 for 1970-01-01; much faster than calendar arithmetic. */
export function dayNumber({ year, month, day }: Temporal.PlainDate): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / DAY_MS;
}
