/** When lines that could not be fetched are asked for again: after a pause that doubles with each further failure. */
export type LinesRetry = {
  readonly firstPauseMs: number;
  /** The pause grows no more after so many doublings. */
  readonly maxDoublings: number;
};

export const LINES_RETRY: LinesRetry = { firstPauseMs: 60_000, maxDoublings: 8 };

/** @param attempts failures in a row so far */
export function linesPauseMs({ firstPauseMs, maxDoublings }: LinesRetry, attempts: number): number {
  return firstPauseMs * 2 ** Math.min(Math.max(attempts - 1, 0), maxDoublings);
}
