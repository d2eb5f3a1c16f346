import type { OrdersPage } from '../endpoints/list-orders.ts';

/**
 * Whether a page continues where the one before it ended. Of a page keyed by identifier any row may be the last, since an
 * object does not keep the order of the list.
 */
export function compareOverlap(
  pages: readonly OrdersPage[],
  known: ReadonlySet<string>,
  next: OrdersPage,
): 'one row' | 'first again' | 'moved' {
  const keys = next.keys;
  const shared = keys.filter((key) => known.has(key));
  const [first, before] = [pages[0], pages.at(-1)];
  if (first === undefined || before === undefined || hasDuplicates(next)) return 'moved';
  const isFirstAgain = pages.length === 1 && shared.length === keys.length && keys.length === first.received;
  if (isFirstAgain && keys.length > 1) return 'first again';
  if (shared.length !== 1) return 'moved';
  if (before.isKeyed || next.isKeyed) return before.keys.includes(shared[0] ?? '') ? 'one row' : 'moved';
  return before.keys.at(-1) === next.keys[0] ? 'one row' : 'moved';
}

/** An order that is listed twice takes the place of another one. */
export function hasDuplicates({ rows }: OrdersPage): boolean {
  return new Set(rows.map(({ orderId }) => orderId)).size < rows.length;
}
