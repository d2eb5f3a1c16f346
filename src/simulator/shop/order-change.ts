/** How orders change. */
import type { Random } from './random.ts';
import { type OrderChange, type SimOrder, totalsOf, withQuantity } from './sim-order.ts';
import { nextStatus } from './statuses.ts';

/** The order with the change; totals follow what they depend on, unless the change gives them. */
export function withChange(order: SimOrder, change: OrderChange): SimOrder {
  const changed = { ...order, ...change };
  const hasOtherTotals = 'lines' in change || 'deliveryPriceCents' in change || 'payStatus' in change;
  return hasOtherTotals ? { ...changed, ...totalsOf(changed), ...change } : changed;
}

/** The next status, paid when delivered; one more of the first line where no status follows. */
export function usualChange(random: Random, order: SimOrder): OrderChange {
  const status = nextStatus(random, order.status);
  if (status === 'C') return { status, payStatus: 'FP' };
  if (status !== undefined) return { status };
  const [first, ...others] = order.lines;
  if (first === undefined) return { comment: `${order.comment} .`.trim() };
  return { lines: [withQuantity(first, first.quantity + 1), ...others] };
}
