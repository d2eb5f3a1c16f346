import { BELIEVE_LIST_AFTER_MS, CONFIRM_AFTER_MS } from '../../model/missing-orders.ts';

/** What the shop says about an order that its list left out: gone, still served, or nothing that can be interpreted. */
export type Presence = 'gone' | 'served' | 'unknown';

/** What happens to an order that a proven walk of its window did not return. */
export type UnlistedVerdict =
  /** It is missing from now on. */
  | 'mark'
  /** It is missing for long enough, and now deleted. */
  | 'delete'
  /** It is missing since a moment ago; a later walk decides. */
  | 'wait'
  /** List and content contradict each other, or one of them is broken: the order's own day is not proven. */
  | 'unresolved';

/**
 * @param missingSince when it was marked as missing; null where it counts as live
 * @param unresolvedMs for how long no list has shown it although the shop did not confirm that it is gone; null: this is the first time
 * @param acceptsMissing the operator accepts that unlisted orders are gone, unless the shop still serves them
 */
export function judgeUnlisted(
  missingSince: Temporal.Instant | null,
  unresolvedMs: number | null,
  presence: Presence,
  acceptsMissing: boolean,
  now: Temporal.Instant,
): UnlistedVerdict {
  if (missingSince !== null)
    return now.since(missingSince).total('milliseconds') >= CONFIRM_AFTER_MS ? 'delete' : 'wait';
  if (presence === 'gone' || (presence === 'unknown' && acceptsMissing)) return 'mark';
  return (unresolvedMs ?? 0) >= BELIEVE_LIST_AFTER_MS ? 'mark' : 'unresolved';
}

/** Above both, a disappearance counts as a fault of the source and nothing is marked. */
const MAX_MISSING_SHARE = 0.2;
const MAX_MISSING_ORDERS = 20;

/**
 * Whether the orders that a proven walk did not return may be marked as missing.
 *
 * @param stored live orders that the warehouse holds in the window
 * @param missing those of them that the walk did not return
 */
export function mayMarkMissing(stored: number, missing: number): boolean {
  return missing <= MAX_MISSING_ORDERS || missing <= stored * MAX_MISSING_SHARE;
}
