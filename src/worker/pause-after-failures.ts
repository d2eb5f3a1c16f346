const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 600_000;

/**
 * How long a shop is left alone after sweeps that failed one after the other, so that one that is away for ever does not
 * take the turns of the others.
 *
 * @param failures failed sweeps in a row, the last one included
 * @returns milliseconds from the end of the last one; at most ten minutes
 */
export function pauseAfterFailuresMs(failures: number): number {
  if (failures < 1) return 0;
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}
