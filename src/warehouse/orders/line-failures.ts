import { counted } from '../../model/amount-text.ts';
import { type LineFailure, NAMED_ORDERS } from './due-lines.ts';

/** A sentence without a capital and a full stop: `the lines of order 17 could not be fetched: the shop answered HTTP 500`. */
export function describeLineFailure({ reason, orders, order_ids: ids }: LineFailure): string {
  const named = ids.slice(0, NAMED_ORDERS).join(', ');
  const others = orders - Math.min(ids.length, NAMED_ORDERS);
  const more = others > 0 ? ` and ${counted(others, 'other')}` : '';
  return `the lines of ${orders === 1 ? 'order' : 'orders'} ${named}${more} could not be fetched: ${reason}`;
}
