import type { Dates } from './dates.ts';
import { askPage } from './ask-page.ts';
import type { Asked } from './asked-dates.ts';
import type { MatchingRows } from './matching.ts';
import type { PagingDeps } from './paging-deps.ts';
import { toNoOrders, toWhole, type WindowReading } from './window-reading.ts';

/** Requests that make sure that a list holds no second order. */
const FEW_PROBES = 3;
const UNDATED: Dates = { from: undefined, to: undefined };

/**
 * The whole list holds one order or none. For one, a request beyond it must return nothing, each time; an empty list
 * proves nothing, since many faults look like it.
 */
export async function readSingleOrder(
  deps: PagingDeps,
  { window, lowest }: Asked,
  first: MatchingRows,
): Promise<WindowReading | 'moved'> {
  const again = await askPage(deps, UNDATED, 0);
  if (again === 'unfiltered' || again.received > 1) return 'moved';
  const only = first.rows[0];
  const isSame = again.received === 1 && again.keys[0] === only?.orderId;
  if (only === undefined || !isSame) return toNoOrders(window, first.malformed.length > 0);
  for (let probes = 0; probes < FEW_PROBES; probes++) {
    const beyond = await askPage(deps, UNDATED, 1);
    if (beyond === 'unfiltered' || beyond.received > 0) {
      return { kind: 'unproven', reason: 'the shop lists its orders one by one, which proves nothing' };
    }
  }
  return toWhole(deps, window, lowest, UNDATED, first);
}
