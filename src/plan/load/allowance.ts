/** Records of one transaction. */
export const MAX_BATCH = 100;
const MIN_BATCH = 10;
/**
 * How many records may be requested before they are written: few at first, then as many as were written so far. So a process that
 * is killed again and again loses at most a few times what it wrote, however soon it is killed.
 *
 * @param written by this run so far
 */
export function allowance(written: number): number {
  return Math.min(MAX_BATCH, Math.max(MIN_BATCH, written));
}
