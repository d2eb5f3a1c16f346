/** One sweep of one shop: what is planned, read and concluded, in this order. */
import { utcText } from '../../model/amount-text.ts';
import { isRefusal, ShapeError, UnavailableError } from '../../model/errors.ts';
import { pauseUntil } from '../../plan/clock/clock-bounds.ts';
import type { DueDay } from '../../plan/days/due-days.ts';
import { requestUsersAgain } from '../../warehouse/directory/users.ts';
import { hurryDue } from '../../warehouse/ops/due.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { readFieldTimes } from '../../warehouse/ops/payload-fields.ts';
import type { RunCounts } from '../../warehouse/ops/runs.ts';
import { createQuestions, knownRecords } from '../ask/questions.ts';
import { once } from '../ask/record-faults.ts';
import type { Progress, Run, RunOutcome, ShopContext, Sweep } from '../run/context.ts';
import { runShop } from '../run/run-shop.ts';
import { assertNotFuture } from '../run/shop-day.ts';
import { auditShop } from './audit-shop.ts';
import { concludeNamed, concludeSweep, lacksPersons, saveFields, type Swept } from './conclude-sweep.ts';
import { sweepByCounts } from './counts/sweep-by-counts.ts';
import { sweepGroups } from './directory/sweep-groups.ts';
import { sweepUsers } from './directory/sweep-users.ts';
import { OrderQueue } from './orders/order-queue.ts';
import { sweepLines } from './orders/sweep-lines.ts';
import { sweepNamed } from './orders/sweep-named.ts';
import { sweepOrders } from './orders/sweep-orders.ts';
import { pruneOld } from './prune-old.ts';
import { estimateSweep, trackProgress } from './sweep-progress.ts';
import { planSweep, type SweepRequest } from './sweep-request.ts';

/** What `--json` prints of a sweep. */
export type SweepResult = RunOutcome<Swept> &
  RunCounts & { readonly shop: string; readonly error: null; readonly seconds: number };

type Watch = (read: () => Progress) => void;

/**
 * One sweep of one shop: verifies the due days, newest first, and refreshes buyers and groups. If the shop requests a
 * pause, the sweep ends early as partial, and others end at once until the pause is over.
 *
 * @param watch receives a function that returns the current progress
 * @throws UsageError for a first day in the future, before any run begins; TerminalError when another process holds the
 *   shop; otherwise what ended the sweep early
 */
export async function sweepShop(
  context: ShopContext,
  request: SweepRequest,
  watch: Watch = () => undefined,
): Promise<SweepResult> {
  if (request.from) assertNotFuture(context, request.from);
  const { status, counts, ...ended } = await runShop(context, request.kind, async (run) => {
    const sweep = beginSweep(run, request);
    const { state } = sweep;
    const wasLoaded = state.completedAt !== undefined;
    try {
      const result = await sweepRequested(sweep, request, watch);
      await saveFields(sweep, wasLoaded);
      return result;
    } catch (error) {
      if (isRefusal(error)) state.found.credentials = error.message;
      if (error instanceof ShapeError) state.found.drift = error.message;
      throw error;
    } finally {
      // Saved with the state of the shop, however the sweep ends.
      state.findings = { ...state.findings, ...state.found };
    }
  });
  return { shop: context.shop.shopKey, status, error: null, ...ended, ...counts };
}

function beginSweep({ ports, state }: Run, request: SweepRequest): Sweep {
  const { api, db, lease, now } = ports;
  const { acceptMissing: acceptsMissing = false, budgetMs = Number.POSITIVE_INFINITY, mustEnd } = request;
  const began = now();
  const leftMs = () => budgetMs - now().since(began).total('milliseconds');
  const failed = new AbortController();
  const own = {
    signal: AbortSignal.any([ports.signal, failed.signal]),
    fail: (error: unknown) => failed.abort(error),
    questions: createQuestions(api, knownRecords(db, lease.shopId)),
    leftMs,
    hasTimeLeft: () => leftMs() > 0 && mustEnd?.() !== true,
    acceptsMissing,
    fieldTimes: once(async () => readFieldTimes(db, lease.shopId)),
  };
  const found = {
    began,
    phase: 'orders' as const,
    verified: new Set<string>(),
    failed: new Set<string>(),
    found: {},
    fields: { order: new Set<string>(), line: new Set<string>(), form: new Set<string>() },
    lineFailures: new Map<string, string>(),
    estimate: undefined,
  };
  return { ports: { ...ports, ...own }, state: Object.assign(state, found) };
}

async function sweepRequested(sweep: Sweep, request: SweepRequest, watch: Watch): Promise<RunOutcome<Swept>> {
  if (request.orders !== undefined) return concludeNamed(sweep, await sweepNamed(sweep, request.orders));
  const plan = await planSweep(sweep, request);
  await pruneOld(sweep);
  if (request.force === true) await beginAnew(sweep);
  const isFinished = await unlessPaused(sweep, () => sweepDue(sweep, request, plan.due, watch));
  sweep.state.problems.push(...plan.waiting.flatMap(({ failure }) => failure?.reason ?? []));
  return concludeSweep(sweep, request, plan, isFinished);
}

/** Besides all days, a forced sweep reads what waits for another attempt, and buyers that were not stored so far. */
async function beginAnew(sweep: Sweep): Promise<void> {
  const { db, lease, now } = sweep.ports;
  await fenced(db, lease, async (tx) => {
    await hurryDue(tx, lease.shopId, 'lines', now());
    if (lacksPersons(sweep)) await requestUsersAgain(tx, lease.shopId);
  });
}

/** @returns whether all due days were requested within the time budget */
async function unlessPaused({ ports, state }: Sweep, read: () => Promise<boolean>): Promise<boolean> {
  const { pausedUntil } = state;
  if (pausedUntil !== undefined && Temporal.Instant.compare(ports.now(), pausedUntil) < 0) {
    state.problems.push(`the shop requested a pause; retry after ${utcText(pausedUntil)}`);
    return false;
  }
  state.pausedUntil = undefined;
  try {
    return await read();
  } catch (error) {
    // The run records the first problem.
    if (error instanceof OverdueError) state.problems.unshift(error.message);
    else if (error instanceof UnavailableError && error.retryAfterMs !== undefined) {
      state.pausedUntil = pauseUntil(ports.now(), error.retryAfterMs);
      state.problems.unshift(`${error.message}; retry after ${utcText(state.pausedUntil)}`);
    } else throw error;
    return false;
  }
}

/**
 * Reads everything that is due from the shop: orders, users beside them, and then groups.
 *
 * @returns whether all due days were requested within the time budget
 */
async function sweepDue(
  sweep: Sweep,
  request: SweepRequest,
  due: readonly DueDay[],
  watch: Watch,
): Promise<boolean> {
  const { ports, state } = sweep;
  using _timer = endInTime(ports);
  watch(trackProgress(sweep, due));
  if (request.onEstimate !== undefined && due.length > 0) {
    const estimate = await estimateSweep(sweep, request, due);
    if (estimate !== undefined) request.onEstimate(estimate);
  }
  const contentsBefore = ports.api.counts.content;
  const queue = new OrderQueue(sweep);
  const daysRead = sweepOrders(sweep, due, queue);
  const orders = daysRead.then(async (isRead) => {
    const isFinished = await sweepUndue(sweep, request, isRead);
    await sweepLines(sweep, ports.api.counts.content > contentsBefore);
    return isFinished;
  });
  // An error in orders ends everything: refused credentials must not be tried a hundred more times.
  void orders.then(() => (state.phase = 'users'), ports.fail);
  // The tree is read as a whole or not at all: where processes are killed, a large one would take the requests that lists need.
  const groups = Promise.race([queue.begun, daysRead]).then(() => sweepGroups(sweep));
  // An error in users or groups is thrown when the orders are in.
  const sides = [sweepUsers(sweep, orders), groups];
  await Promise.allSettled([orders, ...sides]);
  const isFinished = await orders;
  await Promise.all(sides);
  return isFinished;
}

/**
 * Reads orders that counts or the list without dates lead to.
 *
 * @param isRead whether all due days were requested
 * @returns whether all days were, within the time budget
 */
async function sweepUndue(sweep: Sweep, request: SweepRequest, isRead: boolean): Promise<boolean> {
  const { hasTimeLeft } = sweep.ports;
  const isAll = request.from === undefined && request.to === undefined;
  const isCounted = request.kind === 'sync' && isAll && isRead && hasTimeLeft();
  const isFinished = isCounted ? await sweepByCounts(sweep) : isRead;
  const isWhole = request.audit === true;
  if (isWhole || (isAll && isFinished && hasTimeLeft())) await auditShop(sweep, isWhole);
  return isFinished;
}

/** Time is up while a shop still answers: the sweep ends in order, and the next one goes on. */
class OverdueError extends Error {
  override readonly name = 'OverdueError';
}

const CHECK_MS = 500;
/** What was begun within the time budget may take this much longer. */
const GRACE_MS = 120_000;

const KEPT = 'what was written is kept, and the next run resumes where this one ended';

/**
 * Until disposed, ends a sweep whose time budget is over: it starts nothing new then, but a slow shop can take any time for what was
 * begun, and requests that wait for an unavailable shop would go on waiting.
 */
function endInTime({ api, fail, leftMs, hasTimeLeft }: Sweep['ports']): Disposable {
  const timer = setInterval(() => {
    if (api.health.circuit !== 'closed' && !hasTimeLeft()) {
      const why = "the shop does not respond, and the sweep's time budget ran out";
      fail(new UnavailableError(`${why}; ${KEPT}`));
    } else if (leftMs() <= -GRACE_MS) {
      fail(new OverdueError(`the time budget ran out before the shop had answered; ${KEPT}`));
    }
  }, CHECK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
