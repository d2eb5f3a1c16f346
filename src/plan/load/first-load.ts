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

/**
 * @param orders to load
 * @param listed orders of the list that is read, with those that are loaded already; default: those to load
 * @param pageRows orders on a page of its list
 * @param requestsPerSecond at which the shop is likely to be asked
 */
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
