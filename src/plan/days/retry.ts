/** When a day that could not be verified is tried again. */
import { MAX_PAUSE_MS } from '../../errors.ts';

const FIRST_MS = 60_000;
/** New orders come in today, and are not seen until it is read. */
const MAX_TODAY_MS = 300_000;

/** A day that could not be verified. */
export type FailedDay = {
  /** How often in a row, this time included. */
  readonly attempts: number;
  readonly ageDays: number;
  /** How often it is to be verified. */
  readonly targetMs: number;
  /** It was read whole, and its orders were loaded: to try again costs no more than to verify it. */
  readonly wasRead: boolean;
};

/** The pause doubles with each attempt: up to the day's freshness target if it was read, and in any case up to an hour. */
export function retryAfterMs({ attempts, ageDays, targetMs, wasRead }: FailedDay): number {
  const ofAge = ageDays <= 0 ? MAX_TODAY_MS : MAX_PAUSE_MS;
  const most = Math.min(MAX_PAUSE_MS, wasRead ? targetMs : ofAge);
  return Math.min(most, FIRST_MS * 2 ** (attempts - 1));
}
