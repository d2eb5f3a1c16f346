/** Requests to a shop by hour, newest first: the first count is that of the hour that begins at `hour`. */
export type RequestHours = {
  readonly hour: Temporal.Instant | undefined;
  readonly counts: readonly number[];
};

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** @returns the hours with more requests in the present one; hours before the last 24 are dropped */
export function addRequests(
  { hour, counts }: RequestHours,
  requests: number,
  now: Temporal.Instant,
): RequestHours {
  if (requests === 0) return { hour, counts };
  const present = Temporal.Instant.fromEpochMilliseconds(
    Math.floor(now.epochMilliseconds / HOUR_MS) * HOUR_MS,
  );
  const passed = hour === undefined ? 0 : present.since(hour).total('hours');
  // After a clock that ran ahead, what it counted belongs to no hour.
  const isAhead = passed < 0;
  const gap = Array.from({ length: Math.min(HOURS, Math.max(0, passed)) }, () => 0);
  const [current = 0, ...earlier] = isAhead ? [] : [...gap, ...counts];
  return { hour: present, counts: [current + requests, ...earlier].slice(0, HOURS) };
}

/** Requests of the last 24 hours, the present one last. */
export function lastHours({ hour, counts }: RequestHours, now: Temporal.Instant): readonly number[] {
  if (hour === undefined) return Array.from({ length: HOURS }, () => 0);
  const ahead = Math.floor(now.epochMilliseconds / HOUR_MS) - hour.epochMilliseconds / HOUR_MS;
  return Array.from({ length: HOURS }, (_, index) => counts[HOURS - 1 - index - ahead] ?? 0);
}
