/** Records of one transaction. */
export const MAX_BATCH = 100;
const MIN_BATCH = 10;
/**
 * How much may be under way before more of it is written: little at first, then as much as was written. So a process that
 * is killed again and again loses no more than a few times what it wrote, however soon it ends.
 *
 * @param written by this run so far
 */
export function allowance(written: number): number {
  return Math.min(MAX_BATCH, Math.max(MIN_BATCH, written));
}
