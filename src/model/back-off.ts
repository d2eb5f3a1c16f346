/** After the first attempt that failed. */
const FIRST_MS = 60_000;

/** How long to wait before what failed is tried again: the pause doubles with each attempt, up to a longest one. */
export function backOffMs(attempts: number, mostMs: number): number {
  return Math.min(mostMs, FIRST_MS * 2 ** Math.max(0, attempts - 1));
}
