import { PAGES_PER_WINDOW } from '../windows/window-plan.ts';

const HOUR_MS = 3_600_000;

/**
 * List requests per hour that a policy costs a shop in which nothing changes: the requests that the days of each target
 * need, divided by the hours between two verifications.
 *
 * @param groups days by how often they are verified, with the orders that they hold
 * @param pageRows rows that one page holds
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
