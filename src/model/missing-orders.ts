/** Orders that the shop no longer lists: how long that must last until they count as deleted, and how it is decided. */
import { counted, minuteText } from './amount-text.ts';

/** The shop is asked again after this time. The view `core.missing_orders` has the same number. */
export const CONFIRM_AFTER_MS = 5 * 60_000;

/** A shop may still serve the content of a deleted order: after this long without being listed, it counts as missing. */
export const BELIEVE_LIST_AFTER_MS = 24 * 3_600_000;

/** Orders whose deletion is not confirmed yet; `confirmedAt`: when the last of them is checked again. */
export type MissingOrders = { readonly orders: number; readonly confirmedAt: Temporal.Instant };

/** The one sentence about them, without its end: `2 orders disappeared from the shop's list; a sync after 12:05 UTC confirms whether they were deleted`. */
export function missingText({ orders, confirmedAt }: MissingOrders, now: Temporal.Instant): string {
  const sync = isConfirmable(confirmedAt, now) ? 'the next sync' : `a sync after ${minuteText(confirmedAt)}`;
  const were = orders === 1 ? 'it was' : 'they were';
  return `${counted(orders, 'order')} disappeared from the shop's list; ${sync} confirms whether ${were} deleted`;
}

/** One order, by when its list lacked it first; undefined where it is not missing. */
export function missingOrder(since: Temporal.Instant | null): MissingOrders | undefined {
  return since === null
    ? undefined
    : { orders: 1, confirmedAt: since.add({ milliseconds: CONFIRM_AFTER_MS }) };
}

/** Whether a deletion must be confirmed now. A time that a fast clock wrote is not waited for. */
export function isConfirmable(confirmedAt: Temporal.Instant, now: Temporal.Instant): boolean {
  const waitMs = now.until(confirmedAt).total('milliseconds');
  return waitMs <= 0 || waitMs > CONFIRM_AFTER_MS;
}
