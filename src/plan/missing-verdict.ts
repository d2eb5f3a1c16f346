/** Above both, a disappearance counts as a fault of the source and nothing is marked. */
const MAX_MISSING_SHARE = 0.2;
const MAX_MISSING_ORDERS = 20;

/**
 * Whether the orders that a proven walk did not return may be marked as missing.
 *
 * @param held live orders that the warehouse holds in the window
 * @param missing those of them that the walk did not return
 */
export function mayMarkMissing(held: number, missing: number): boolean {
  return missing <= MAX_MISSING_ORDERS || missing <= held * MAX_MISSING_SHARE;
}
