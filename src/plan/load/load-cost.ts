/** What it takes, roughly, to load orders and to keep them. */
import { PAGES_PER_WINDOW } from '../windows/window-plan.ts';

/** What it takes to load orders for the first time, roughly. */
export type LoadEstimate = {
  readonly requests: number;
  readonly seconds: number;
  /** In the database, with the shop's answers in `raw`. */
  readonly bytes: number;
};

/** Most shops have fewer buyers than orders; each is requested once. */
const BUYERS_PER_ORDER = 0.3;
/** A page, and the proof that nothing moved while it was read. */
const REQUESTS_PER_PAGE = 2;
/** Measured with the simulated shop by `npm run bench -- size`. */
const BYTES_PER_ORDER = 4_300;

/** @param listed orders of the list that is read, which may include orders that are loaded already; default: `orders` */
export function estimateLoad({
  orders,
  listed = orders,
  pageRows,
  requestsPerSecond,
}: {
  readonly orders: number;
  readonly listed?: number;
  readonly pageRows: number;
  readonly requestsPerSecond: number;
}): LoadEstimate {
  const pages = Math.ceil(listed / Math.max(1, pageRows));
  const requests = Math.ceil(orders * (1 + BUYERS_PER_ORDER)) + pages * REQUESTS_PER_PAGE;
  return { requests, seconds: Math.ceil(requests / requestsPerSecond), bytes: orders * BYTES_PER_ORDER };
}

const HOUR_MS = 3_600_000;

/**
 * List requests per hour that a policy costs a shop in which nothing changes: the requests that the days of each target
 * need, divided by the hours between two verifications.
 *
 * @param groups days by how often they are verified, with the orders that they hold
 */
export function listRequestsPerHour(
  groups: readonly { readonly targetMs: number; readonly orders: number }[],
  pageRows: number,
): number {
  const byTarget = [...Map.groupBy(groups, ({ targetMs }) => targetMs)].toSorted(
    ([one], [other]) => one - other,
  );
  return byTarget.reduce((sum, [targetMs, group]) => {
    const rows = group.reduce((total, { orders }) => total + orders, 0);
    return sum + countRequests(rows, pageRows) / (targetMs / HOUR_MS);
  }, 0);
}

/** Each window requests its pages, each but the first from the last row of the one before, and once more from the end. */
function countRequests(rows: number, pageRows: number): number {
  const pages = Math.max(1, Math.ceil(rows / Math.max(1, pageRows - 1)));
  return pages + Math.ceil(pages / PAGES_PER_WINDOW);
}
