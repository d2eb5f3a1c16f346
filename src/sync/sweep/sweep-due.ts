import type { DueDay } from '../../plan/days/due-days.ts';
import { UnavailableError } from '../../model/errors.ts';
import type { Progress, Sweep } from '../run/context.ts';
import { auditShop } from './audit-shop.ts';
import { sweepByCounts } from './counts/sweep-by-counts.ts';
import { sweepGroups } from './directory/sweep-groups.ts';
import { sweepUsers } from './directory/sweep-users.ts';
import { sweepLines } from './orders/sweep-lines.ts';
import { sweepOrders } from './orders/sweep-orders.ts';
import { estimateSweep, trackProgress } from './sweep-progress.ts';
import type { SweepRequest } from './sweep-request.ts';

/**
 * Reads everything that is due from the shop: orders, users beside them, and then groups.
 *
 * @returns whether all due days were requested within the time budget
 */
export async function sweepDue(
  given: Sweep,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
  due: readonly DueDay[],
): Promise<boolean> {
  using timeout = startTimeout(given.ports);
  // An error in orders ends everything: refused credentials must not be tried a hundred more times.
  const failed = new AbortController();
  const fail = (error: unknown) => failed.abort(error);
  const signal = AbortSignal.any([given.ports.signal, timeout.signal, failed.signal]);
  const sweep: Sweep = { ...given, ports: { ...given.ports, signal } };
  const progress = trackProgress(sweep, due);
  watch(progress.read);
  if (request.onEstimate !== undefined && due.length > 0) {
    const estimate = await estimateSweep(sweep, request, due);
    if (estimate !== undefined) request.onEstimate(estimate);
  }
  const groupsTurn = Promise.withResolvers<void>();
  const orders = sweepAllOrders(sweep, request, due, fail, groupsTurn.resolve).finally(groupsTurn.resolve);
  void orders.then(progress.ordersAreIn, fail);
  // An error in users or groups is thrown when the orders are in.
  const groups = groupsTurn.promise.then(() => sweepGroups(sweep));
  const sides = [sweepUsers(sweep, orders), groups];
  await Promise.allSettled([orders, ...sides]);
  const isFinished = await orders;
  await Promise.all(sides);
  return isFinished;
}

/**
 * Reads the orders of due days, those that counts or the list without dates lead to, and lines that are due.
 *
 * @returns whether all due days were requested within the time budget
 */
async function sweepAllOrders(
  sweep: Sweep,
  request: SweepRequest,
  due: readonly DueDay[],
  onFailure: (error: unknown) => void,
  mayReadGroups: () => void,
): Promise<boolean> {
  const { api, mayAsk } = sweep.ports;
  const before = api.counts.content;
  const isAll = request.from === undefined && request.to === undefined;
  // The tree is read as a whole or not at all: where processes are killed, a large one would take the requests that lists need.
  const isRead = await sweepOrders(sweep, due, { onFailure, onBegun: mayReadGroups });
  const isCounted = request.kind === 'sync' && isAll && isRead && mayAsk();
  const isFinished = isCounted ? await sweepByCounts(sweep, onFailure) : isRead;
  const isWhole = request.audit === true;
  if (isWhole || (isAll && isFinished && mayAsk())) await auditShop(sweep, isWhole);
  await sweepLines(sweep, api.counts.content > before);
  return isFinished;
}

/** Time is up while a shop still answers: the sweep ends in order, and the next one goes on. */
export class OverdueError extends Error {
  override readonly name = 'OverdueError';
}

const CHECK_MS = 500;
/** What was begun within the time budget may take this much longer. */
const GRACE_MS = 120_000;

const KEPT = 'what was written is kept, and the next run resumes where this one ended';

/**
 * A sweep starts nothing new after its time budget, but a slow shop can take any time for what was begun, and requests
 * that wait for an unavailable shop would go on waiting.
 *
 * @returns until disposed, a signal that is aborted with an OverdueError or an UnavailableError when that happens
 */
function startTimeout({
  api,
  leftMs,
  mayAsk,
}: Sweep['ports']): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (api.health.circuit !== 'closed' && !mayAsk()) {
      const why = "the shop does not respond, and the sweep's time budget ran out";
      controller.abort(new UnavailableError(`${why}; ${KEPT}`));
    } else if (leftMs() <= -GRACE_MS) {
      controller.abort(new OverdueError(`the time budget ran out before the shop had answered; ${KEPT}`));
    }
  }, CHECK_MS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
