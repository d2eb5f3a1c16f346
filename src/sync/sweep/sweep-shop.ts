import { UnavailableError } from '../../model/errors.ts';
import { describeLineFailure } from '../../warehouse/orders/due-lines.ts';
import { besideSentence } from '../../shop-api/wire/read-document.ts';
import { pauseUntil } from '../../plan/clock/clock-bounds.ts';
import { followSweeps, freshnessTargetMs } from '../../plan/days/freshness.ts';
import type { DueDay } from '../../plan/days/due-days.ts';
import type { LoadEstimate } from '../../plan/load/load-cost.ts';
import { readLatestUsers } from '../../warehouse/directory/users.ts';
import { hurryDue } from '../../warehouse/ops/due.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { resolveUnlisted } from '../../warehouse/ops/rejections.ts';
import { readFieldTimes } from '../../warehouse/ops/payload-fields.ts';
import type { RunCounts } from '../../warehouse/ops/runs.ts';
import { readLargestIds } from '../../warehouse/orders/live-orders.ts';
import { countWithoutLines, readLineFailures } from '../../warehouse/orders/due-lines.ts';
import { heldClockWarning } from './clock-warning.ts';
import { createQuestions, impossibleId } from '../ask/questions.ts';
import type { Progress, Run, RunOutcome, ShopContext, Sweep } from '../run/context.ts';
import { utcText } from '../../model/amount-text.ts';
import { runShop } from '../run/run-shop.ts';
import { currentThrottle, throttleJson } from '../run/throttle-state.ts';
import { today } from '../run/shop-day.ts';
import { sweepNamed } from './orders/sweep-named.ts';
import { pruneOld } from './prune-old.ts';
import { beginRestoring, finishRestoring } from './restore-persons.ts';
import { recordingFindings, settleFindings } from './record-findings.ts';
import { OverdueError, sweepDue } from './sweep-due.ts';
import {
  readDue,
  readOpenDays,
  reopenHistory,
  type SweepEstimate,
  sweptRange,
  type SweepRequest,
} from './sweep-request.ts';

type Swept = {
  /** First and last day of the range. */
  readonly from: string;
  readonly to: string;
  /** Days that this sweep verified, and days that are still due. */
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
  /** Orders whose lines this sweep could not fetch; `problems` names them. */
  readonly orders_with_failed_lines: number;
  /** Windows that were read whole, and those that changed while they were read. */
  readonly windows_proven: number;
  readonly windows_unproven: number;
  /** What is wrong without making the sweep partial: a sentence each. */
  readonly warnings: readonly string[];
};

/** What `--json` prints of a sweep. */
export type SweepResult = RunOutcome<Swept> &
  RunCounts & {
    readonly shop: string;
    readonly error: null;
    readonly seconds: number;
    /** What the sweep was expected to take; null: nobody asked. */
    readonly estimate: (LoadEstimate & { readonly orders: number }) | null;
    /** How the shop was treated in the end. */
    readonly throttle: ReturnType<typeof throttleJson>;
  };

/** What was begun within the time budget may take this much longer. */
const GRACE_MS = 120_000;

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
  let estimate: SweepResult['estimate'] = null;
  const onEstimate = (made: SweepEstimate) => {
    const { orders, requests, seconds, bytes } = made;
    estimate = { orders, requests, seconds, bytes };
    request.onEstimate?.(made);
  };
  const asked = request.onEstimate === undefined ? request : { ...request, onEstimate };
  const { status, counts, ...ended } = await runShop(context, request.kind, (run) => {
    const sweep = beginSweep(run, request);
    const { orders } = request;
    return recordingFindings(sweep, () =>
      orders === undefined ? sweepRun(sweep, asked, watch) : readNamed(sweep, orders),
    );
  });
  const { health } = context.api;
  const throttle = throttleJson(currentThrottle(health), health.pausedUntil);
  return { shop: context.shop.shopKey, status, error: null, ...ended, ...counts, estimate, throttle };
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
  const found = {
    verified: new Set<string>(),
    failed: new Set<string>(),
    unread: new Map<string, string>(),
    began: now(),
    findings: new Map(),
    fields: { order: new Set<string>(), line: new Set<string>(), form: new Set<string>() },
    lineFailures: new Map<string, string>(),
    isCut: false,
  };
  let times: ReturnType<typeof readFieldTimes> | undefined;
  const fieldTimes = async () => (times ??= readFieldTimes(db, lease.shopId));
  const { budgetMs = Number.POSITIVE_INFINITY, mustEnd } = request;
  const spentMs = () => now().since(found.began).total('milliseconds');
  const mayAsk = () => {
    const isTimeLeft = spentMs() < budgetMs && mustEnd?.() !== true;
    if (!isTimeLeft) found.isCut = true;
    return isTimeLeft;
  };
  const isOverdue = () => spentMs() >= budgetMs + GRACE_MS;
  const acceptsMissing = request.acceptMissing === true;
  return {
    ports: { ...ports, questions, mayAsk, isOverdue, acceptsMissing, fieldTimes },
    state,
    found,
  };
}

async function sweepRun(
  sweep: Sweep,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
): Promise<RunOutcome<Swept>> {
  const { ports, state } = sweep;
  const { db, lease, now } = ports;
  const { counters } = state;
  const { countEveryMs, freshness } = ports.shop;
  const last = state.lookedAt && { policy: state.freshness, beganAt: state.lookedAt };
  state.freshness = request.followsSweeps === true ? followSweeps(freshness, last, now()) : freshness;
  const isFollowing = request.followsSweeps === true && countEveryMs > 0;
  state.countEveryMs = isFollowing
    ? Math.max(countEveryMs, freshnessTargetMs(state.freshness, 0))
    : countEveryMs;
  if (state.historyFrom !== undefined && ports.shop.historyFrom === undefined) await reopenHistory(ports);
  state.historyFrom = ports.shop.historyFrom;
  state.lookedAt = now();
  await pruneOld(sweep);
  const range = sweptRange(ports, request);
  const { due, waiting } = await readDue(ports, request, range);
  await beginRestoring(sweep, request);
  if (request.force === true) await fenced(db, lease, (tx) => hurryDue(tx, lease.shopId, 'lines', now()));
  const isFinished = await sweepUnlessPaused(sweep, request, watch, due);
  state.problems.push(...waiting.flatMap(({ failure }) => failure?.reason ?? []), ...tellLineFailures(sweep));
  const problems = [...new Set(state.problems)];
  const { open, isBeginningDue, first } = await readOpenDays(sweep, due, range);
  const isWhole = isFinished && open === 0 && problems.length === 0 && counters.newRejections === 0;
  // Single records that could not be read do not count here: the run, rejections, lines and users show them.
  const isComplete =
    isFinished && open === 0 && counters.windowsUnproven === 0 && state.pausedUntil === undefined;
  if (isComplete) {
    await resolveUnlisted(db, lease);
    state.completedAt = now();
  }
  if (isWhole) state.okAt = now();
  settleFindings(
    sweep.found,
    sweep.state,
    isComplete && request.from === undefined && request.to === undefined,
  );
  const swept = {
    ...(await sumUp(sweep)),
    from: (range.from ?? first ?? range.to).toString(),
    to: range.to.toString(),
    days_due: counters.days_verified + open,
    is_beginning_due: isBeginningDue,
    warnings: [...(await clockWarnings(sweep)), ...(await finishRestoring(sweep)), ...besideWarnings(sweep)],
  };
  return { ...swept, status: isWhole ? 'ok' : 'partial', problems };
}

/** Reads orders that somebody named; what is remembered of sweeps stays as it is. */
async function readNamed(sweep: Sweep, orders: readonly string[]): Promise<RunOutcome<Swept>> {
  const warnings = await sweepNamed(sweep, orders);
  const problems = tellLineFailures(sweep);
  const summed = await sumUp(sweep);
  const day = today(sweep.ports).toString();
  const isWhole = problems.length === 0 && summed.new_rejections === 0;
  return {
    ...summed,
    from: day,
    to: day,
    days_due: 0,
    is_beginning_due: false,
    warnings,
    status: isWhole ? 'ok' : 'partial',
    problems,
  };
}

async function sumUp({ ports: { db, lease, logger, shop }, state, found }: Sweep) {
  const without = await countWithoutLines(db, lease.shopId);
  if (without.orders > without.doubtful) {
    // Not only those that were asked for again by this sweep.
    const failures = await readLineFailures(db, [lease.shopId]);
    const reason = failures.map(describeLineFailure).join('; ');
    logger.warn({ shop: shop.shopKey, reason }, 'lines missing');
  }
  return {
    is_cut: found.isCut,
    new_rejections: state.counters.newRejections,
    orders_without_lines: without.orders,
    orders_with_doubtful_lines: without.doubtful,
    orders_with_failed_lines: found.lineFailures.size,
    windows_proven: state.counters.windowsProven,
    windows_unproven: state.counters.windowsUnproven,
  };
}

async function sweepUnlessPaused(
  sweep: Sweep,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
  due: readonly DueDay[],
): Promise<boolean> {
  const { state, ports } = sweep;
  const { pausedUntil } = state;
  if (pausedUntil !== undefined && Temporal.Instant.compare(ports.now(), pausedUntil) < 0) {
    state.problems.push(`the shop requested a pause; retry after ${utcText(pausedUntil)}`);
    return false;
  }
  state.pausedUntil = undefined;
  try {
    return await sweepDue(sweep, request, watch, due);
  } catch (error) {
    if (error instanceof OverdueError) {
      sweep.found.isCut = true;
      state.problems.unshift(error.message);
      return false;
    }
    if (!(error instanceof UnavailableError) || error.retryAfterMs === undefined) throw error;
    state.pausedUntil = pauseUntil(ports.now(), error.retryAfterMs);
    // The run records the first problem.
    state.problems.unshift(`${error.message}; retry after ${utcText(state.pausedUntil)}`);
    return false;
  }
}

/** One sentence for each reason why this sweep could not fetch lines. */
function tellLineFailures({ found }: Sweep): readonly string[] {
  const byReason = [...Map.groupBy(found.lineFailures, ([, reason]) => reason)];
  return byReason.map(([reason, failed]) => {
    const order_ids = failed.map(([orderId]) => orderId);
    return describeLineFailure({ reason, orders: order_ids.length, order_ids });
  });
}

/** Said once a run, however many answers are so. */
function besideWarnings({ ports: { api, logger, shop } }: Sweep): readonly string[] {
  const beside = api.takeBeside();
  if (beside === undefined) return [];
  const warning = besideSentence(beside);
  logger.warn({ shop: shop.shopKey, warning }, 'text beside data');
  return [warning];
}

async function clockWarnings({ ports, found }: Sweep): Promise<readonly string[]> {
  const { db, lease, logger, now, shop } = ports;
  const warning = await heldClockWarning(db, lease.shopId, shop.timezone, now());
  found.findings.set('clock', warning);
  if (warning === undefined) return [];
  logger.warn({ shop: shop.shopKey, warning }, 'time zone or clock may be wrong');
  return [warning];
}
