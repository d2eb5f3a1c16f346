/** When a message that the webhook did not take is sent again. */

/** What came of one attempt to deliver a message. */
export type DeliveryFailure = {
  /** Why, without the address of the webhook. */
  readonly problem: string;
  /** The webhook refused this very message, and may take others. */
  readonly isRefused: boolean;
  /** How long the webhook wants to be left alone. */
  readonly retryAfterMs: number | undefined;
};

const FIRST_PAUSE_MS = 15_000;
/** Also the longest that alerts wait once the webhook works again. */
export const MAX_PAUSE_MS = 900_000;
const GIVE_UP_AFTER_MS = 86_400_000;

/** @param attempts failed ones, this one included */
export function retryDelayMs(attempts: number, retryAfterMs = 0): number {
  const backOffMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1));
  return Math.min(MAX_PAUSE_MS, Math.max(backOffMs, retryAfterMs));
}

/** Whether a message still waits for its next attempt; an attempt that is further away was planned by a clock that ran ahead. */
export function isRetryAhead(retryAt: Temporal.Instant | undefined, now: Temporal.Instant): boolean {
  const waitMs = retryAt === undefined ? 0 : now.until(retryAt).total('milliseconds');
  return waitMs > 0 && waitMs <= MAX_PAUSE_MS;
}

/** Whether a message that failed again was tried for long enough. @param since when it came up */
export function isGivenUp(since: Temporal.Instant, now: Temporal.Instant): boolean {
  return now.since(since).total('milliseconds') >= GIVE_UP_AFTER_MS;
}
