/** Orders that the shop no longer lists: how long that must last until they count as deleted, and how it is decided. */
import { counted, minuteText } from './amount-text.ts';

/** The shop is asked once more so much later. The view `core.missing_orders` says the same. */
export const CONFIRM_AFTER_MS = 5 * 60_000;

/** A shop may go on serving what it deleted: after this long without being listed, such an order is taken to be gone. */
export const BELIEVE_LIST_AFTER_MS = 24 * 3_600_000;

/** Orders that are not confirmed to be deleted yet; `confirmedAt`: when the last of them is looked for once more. */
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

/** Whether a deletion is to be confirmed now. What a clock said that ran ahead is not waited for. */
export function isConfirmable(confirmedAt: Temporal.Instant, now: Temporal.Instant): boolean {
  const waitMs = now.until(confirmedAt).total('milliseconds');
  return waitMs <= 0 || waitMs > CONFIRM_AFTER_MS;
}
