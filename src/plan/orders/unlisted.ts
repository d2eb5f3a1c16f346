import { CONFIRM_AFTER_MS } from '../../model/missing-orders.ts';

/** What the shop says about an order that its list left out: gone, still served, or nothing that can be interpreted. */
export type Presence = 'gone' | 'served' | 'unknown';

/** A response about an order: its shape, and the lines of its content; undefined for anything but a content. */
type Said = { readonly kind: { readonly shape: string }; readonly lines: number | undefined };

/** @param impossible the response for an identifier that cannot exist */
export function judgePresence(impossible: Said, answer: Said): Presence {
  // A shop that serves lines of an order that cannot exist serves those of a deleted one, too.
  if ((impossible.lines ?? 0) > 0) return 'unknown';
  if (answer.kind.shape === impossible.kind.shape) return 'gone';
  return answer.lines === undefined ? 'unknown' : 'served';
}

/** What happens to an order that a proven walk of its window did not return. */
export type UnlistedVerdict =
  /** It is missing from now on. */
  | 'mark'
  /** It is missing since before, and now certainly deleted. */
  | 'delete'
  /** It is missing since a moment ago; a later walk decides. */
  | 'wait'
  /** List and content contradict each other, or one of them is broken: the order's own day is not proven. */
  | 'doubt';

/** A shop may go on serving what it deleted; after this long without being listed the order is taken to be gone. */
export const BELIEVE_LIST_AFTER_MS = 24 * 3_600_000;

/**
 * The numbers of orders in question for which no listed order is asked about as a control: questions are to cost at most a
 * tenth more than one request for each order, which so many leave to the order that cannot exist. Fewer are cheap anyway.
 */
const WITHOUT_CONTROL = { from: 10, to: 19 };
/** Of a larger share of the orders held, the control is worth more than it costs. */
const MAX_SHARE_WITHOUT_CONTROL = 0.2;

/**
 * Whether a listed order is asked about before the shop's statement about a missing one is trusted.
 *
 * @param inQuestion orders that are asked about together
 * @param live orders held where they were not listed, those in question included
 */
export function needsControl(inQuestion: number, live: number): boolean {
  const isDear = inQuestion >= WITHOUT_CONTROL.from && inQuestion <= WITHOUT_CONTROL.to;
  return !isDear || inQuestion > live * MAX_SHARE_WITHOUT_CONTROL;
}

/** Whether the verdict on an order needs to know its presence. */
export function needsPresence(missingSince: Temporal.Instant | undefined, now: Temporal.Instant): boolean {
  return missingSince === undefined || msBetween(missingSince, now) < CONFIRM_AFTER_MS;
}

/**
 * @param missingSince when it was marked as missing; undefined where it counts as live
 * @param doubtedMs how long no list has returned it though it was not said to be gone; undefined where this is the first time
 * @param acceptsMissing the operator said that what is not listed is gone, where the shop does not say that it is there
 */
export function judgeUnlisted(
  missingSince: Temporal.Instant | undefined,
  doubtedMs: number | undefined,
  presence: Presence,
  acceptsMissing: boolean,
  now: Temporal.Instant,
): UnlistedVerdict {
  if (missingSince !== undefined) {
    const isConfirmed = presence === 'gone' || msBetween(missingSince, now) >= CONFIRM_AFTER_MS;
    return isConfirmed ? 'delete' : 'wait';
  }
  if (presence === 'gone' || (presence === 'unknown' && acceptsMissing)) return 'mark';
  return (doubtedMs ?? 0) >= BELIEVE_LIST_AFTER_MS ? 'mark' : 'doubt';
}

function msBetween(from: Temporal.Instant, to: Temporal.Instant): number {
  return to.epochMilliseconds - from.epochMilliseconds;
}

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
