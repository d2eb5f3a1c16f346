import { UnavailableError } from '../../model/errors.ts';
import { describeLineFailure } from '../../warehouse/orders/due-lines.ts';
import { besideSentence } from '../../shop-api/wire/read-document.ts';
import { pauseUntil } from '../../plan/clock/clock-bounds.ts';
import { readLatestUsers } from '../../warehouse/directory/users.ts';
import { hurryDue } from '../../warehouse/ops/due.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { resolveUnlisted } from '../../warehouse/ops/rejections.ts';
import { readFieldTimes } from '../../warehouse/ops/payload-fields.ts';
import type { RunCounts } from '../../warehouse/ops/runs.ts';
import { readLargestIds } from '../../warehouse/orders/live-orders.ts';
import { readLineFailures } from '../../warehouse/orders/due-lines.ts';
import { readOpenOrders } from '../../warehouse/reports/shop-figures.ts';
import { heldClockWarning } from './clock-warning.ts';
import { createQuestions, impossibleId } from '../ask/questions.ts';
import type { Progress, Run, RunOutcome, ShopContext, Sweep, SweepEstimate } from '../run/context.ts';
import { utcText } from '../../model/amount-text.ts';
import { runShop } from '../run/run-shop.ts';
import { currentThrottle, throttleJson } from '../run/throttle-state.ts';
import { today } from '../run/shop-day.ts';
import { sweepNamed } from './orders/sweep-named.ts';
import { pruneOld } from './prune-old.ts';
import { beginRestoring, finishRestoring } from './restore-persons.ts';
import { recordingFindings, settleFindings } from './record-findings.ts';
import { OverdueError, sweepDue } from './sweep-due.ts';
import { type PlannedSweep, planSweep, readOpenDays, type SweepRequest } from './sweep-request.ts';

type Swept = {
  /** First and last day of the range. */
  readonly from: string;
  readonly to: string;
  /** Days that this sweep read whole, and days that are still due. */
  readonly days_due: number;
  /** One of the days still due stands for all days before it: the shop's first order was not reached yet. */
  readonly is_beginning_due: boolean;
  /** Its time ended, perhaps before everything was read: it should go on soon. */
  readonly is_cut: boolean;
  readonly new_rejections: number;
  /** Orders whose lines could not be fetched, or contradict them, by this sweep or earlier ones; later sweeps retry them. */
  readonly orders_without_lines: number;
  /** Of these, orders whose lines contradict them. */
  readonly orders_with_doubtful_lines: number;
  /** Orders that the shop no longer lists, and when the last of them is looked for once more: their days are verified after that. */
  readonly orders_unconfirmed: number;
  readonly confirmed_at: string | null;
  /** Orders whose lines this sweep could not fetch; `problems` names them. */
  readonly orders_with_failed_lines: number;
  /** Windows that were read whole, and those that changed while they were read. */
  readonly windows_proven: number;
  readonly windows_unproven: number;
  /** What is wrong without making the sweep partial: a sentence each. */
  readonly warnings: readonly string[];
  /** What the sweep was expected to take; null: nobody asked. */
  readonly estimate: Omit<SweepEstimate, 'listed'> | null;
  /** How the shop was treated in the end. */
  readonly throttle: ReturnType<typeof throttleJson>;
};

/** What `--json` prints of a sweep. */
export type SweepResult = RunOutcome<Swept> &
  RunCounts & { readonly shop: string; readonly error: null; readonly seconds: number };

/**
 * One sweep of one shop: verifies the due days, newest first, and refreshes buyers and groups. If the shop requests a
 * pause, the sweep ends early as partial, and others end at once until the pause is over.
 *
 * @param watch receives a function that returns the current progress
 * @throws TerminalError when another process holds the shop; otherwise what ended the sweep early
 */
export async function sweepShop(
  context: ShopContext,
  request: SweepRequest,
  watch: (read: () => Progress) => void = () => undefined,
): Promise<SweepResult> {
  const { status, counts, ...ended } = await runShop(context, request.kind, (run) => {
    const sweep = beginSweep(run, request);
    const { orders } = request;
    return recordingFindings(sweep, () =>
      orders === undefined ? sweepRange(sweep, request, watch) : readNamed(sweep, orders),
    );
  });
  return { shop: context.shop.shopKey, status, error: null, ...ended, ...counts };
}

function beginSweep({ ports, state }: Run, request: SweepRequest): Sweep {
  const { api, db, lease, now } = ports;
  const questions = createQuestions(api, {
    async readIds() {
      const largest = await readLargestIds(db, lease.shopId);
      return { order: impossibleId(largest.order), user: impossibleId(largest.user) };
    },
    readKnownUsers: async (limit) => readLatestUsers(db, lease.shopId, limit),
  });
  const began = now();
  const { acceptMissing: acceptsMissing = false, budgetMs = Number.POSITIVE_INFINITY, mustEnd } = request;
  const leftMs = () => budgetMs - now().since(began).total('milliseconds');
  const mayAsk = () => leftMs() > 0 && mustEnd?.() !== true;
  let times: ReturnType<typeof readFieldTimes> | undefined;
  const fieldTimes = async () => (times ??= readFieldTimes(db, lease.shopId));
  const found = {
    began,
    verified: new Set<string>(),
    failed: new Set<string>(),
    causes: new Map(),
    fields: { order: new Set<string>(), line: new Set<string>(), form: new Set<string>() },
    lineFailures: new Map<string, string>(),
    estimate: undefined,
  };
  return {
    ports: { ...ports, questions, leftMs, mayAsk, acceptsMissing, fieldTimes },
    state: Object.assign(state, found),
  };
}

/** Plans a sweep, reads what is due, and concludes what that leaves. */
async function sweepRange(
  sweep: Sweep,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
): Promise<RunOutcome<Swept>> {
  const { db, lease, now } = sweep.ports;
  const plan = await planSweep(sweep, request);
  await pruneOld(sweep);
  await beginRestoring(sweep, request);
  if (request.force === true) await fenced(db, lease, (tx) => hurryDue(tx, lease.shopId, 'lines', now()));
  const isFinished = await sweepUnlessPaused(sweep, () => sweepDue(sweep, request, watch, plan.due));
  const waiting = plan.waiting.flatMap(({ failure }) => failure?.reason ?? []);
  sweep.state.problems.push(...waiting, ...lineProblems(sweep));
  return conclude(sweep, request, plan, isFinished);
}

/** @returns whether all due days were requested within the time budget */
async function sweepUnlessPaused({ ports, state }: Sweep, read: () => Promise<boolean>): Promise<boolean> {
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

async function conclude(
  sweep: Sweep,
  request: SweepRequest,
  { due, range }: PlannedSweep,
  isFinished: boolean,
): Promise<RunOutcome<Swept>> {
  const { ports, state } = sweep;
  const { open, isBeginningDue, first } = await readOpenDays(sweep, due, range);
  const problems = [...new Set(state.problems)];
  const isWhole = isFinished && open === 0 && problems.length === 0 && state.counters.newRejections === 0;
  // Single records that could not be read do not count here: the run, rejections, lines and users show them.
  const isComplete =
    isFinished && open === 0 && state.counters.windowsUnproven === 0 && state.pausedUntil === undefined;
  if (isComplete) {
    await resolveUnlisted(ports.db, ports.lease);
    state.completedAt = ports.now();
  }
  if (isWhole) state.okAt = ports.now();
  const clock = await heldClockWarning(ports.db, ports.lease.shopId, ports.shop.timezone, ports.now());
  state.causes.set('clock', clock);
  const beside = ports.api.takeBeside();
  settleFindings(state, isComplete && request.from === undefined && request.to === undefined);
  return {
    ...(await sumUp(sweep)),
    from: (range.from ?? first ?? range.to).toString(),
    to: range.to.toString(),
    days_due: state.verified.size + open,
    is_beginning_due: isBeginningDue,
    warnings: [
      ...warn(sweep, clock, 'time zone or clock may be wrong'),
      ...warn(sweep, await finishRestoring(sweep), 'buyers are missing'),
      // Said once a run, however many answers are so.
      ...warn(sweep, beside && besideSentence(beside), 'text beside data'),
    ],
    status: isWhole ? 'ok' : 'partial',
    problems,
  };
}

/** Reads orders that somebody named; what is remembered of sweeps stays as it is. */
async function readNamed(sweep: Sweep, orders: readonly string[]): Promise<RunOutcome<Swept>> {
  const warnings = await sweepNamed(sweep, orders);
  const problems = lineProblems(sweep);
  const isWhole = problems.length === 0 && sweep.state.counters.newRejections === 0;
  const day = today(sweep.ports).toString();
  const range = { from: day, to: day, days_due: 0, is_beginning_due: false };
  return { ...(await sumUp(sweep)), ...range, warnings, status: isWhole ? 'ok' : 'partial', problems };
}

async function sumUp({ ports: { api, db, lease, logger, mayAsk, shop }, state }: Sweep) {
  const { counters, estimate, lineFailures } = state;
  const open = await readOpenOrders(db, lease.shopId);
  // By the rule of bi.unverified_days: until it is known what became of an order, its day is not verified.
  counters.days_verified = [...state.verified].filter((day) => !open.missing_days.includes(day)).length;
  if (open.without_lines > open.doubtful) {
    // Not only those that were asked for again by this sweep.
    const failures = await readLineFailures(db, [lease.shopId]);
    const reason = failures.map(describeLineFailure).join('; ');
    logger.warn({ shop: shop.shopKey, reason }, 'lines missing');
  }
  return {
    is_cut: !mayAsk(),
    new_rejections: counters.newRejections,
    orders_without_lines: open.without_lines,
    orders_with_doubtful_lines: open.doubtful,
    orders_unconfirmed: open.missing,
    confirmed_at: open.confirmed_at?.toString() ?? null,
    orders_with_failed_lines: lineFailures.size,
    windows_proven: counters.windowsProven,
    windows_unproven: counters.windowsUnproven,
    estimate: estimate === undefined ? null : withoutListed(estimate),
    throttle: throttleJson(currentThrottle(api.health), api.health.pausedUntil),
  };
}

const withoutListed = ({ listed: _listed, ...estimate }: SweepEstimate) => estimate;

/** One sentence for each reason why this sweep could not fetch lines. */
function lineProblems({ state }: Sweep): readonly string[] {
  const byReason = [...Map.groupBy(state.lineFailures, ([, reason]) => reason)];
  return byReason.map(([reason, failed]) => {
    const order_ids = failed.map(([orderId]) => orderId);
    return describeLineFailure({ reason, orders: order_ids.length, order_ids });
  });
}

function warn({ ports }: Sweep, warning: string | undefined, message: string): readonly string[] {
  if (warning === undefined) return [];
  ports.logger.warn({ shop: ports.shop.shopKey, warning }, message);
  return [warning];
}
