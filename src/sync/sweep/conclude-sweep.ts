/** The end of a sweep: what it verified, what is still due, what it found wrong, and its result. */
import { nextStep } from '../../model/next-step.ts';
import { LINE_FIELDS } from '../../normalize/lines.ts';
import { DOCUMENTED_FIELDS } from '../../normalize/order-fields.ts';
import { besideSentence } from '../../shop-api/wire/read-document.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { type FieldResource, recordFields } from '../../warehouse/ops/payload-fields.ts';
import { resolveUnlisted } from '../../warehouse/ops/rejections.ts';
import { updateShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { describeLineFailure, readLineFailures } from '../../warehouse/orders/due-lines.ts';
import { hasPseudonymized } from '../../warehouse/orders/live-orders.ts';
import { readOpenOrders } from '../../warehouse/reports/shop-figures.ts';
import type { RunOutcome, Sweep, SweepEstimate } from '../run/context.ts';
import { today } from '../run/shop-day.ts';
import { currentThrottle, throttleJson } from '../run/throttle-state.ts';
import { heldClockWarning } from './clock-warning.ts';
import { type PlannedSweep, readOpenDays, type SweepRequest } from './sweep-request.ts';

export type Swept = {
  /** First and last day of the range. */
  readonly from: string;
  readonly to: string;
  /** Days that this sweep read whole, and days that are still due. */
  readonly days_due: number;
  /** One of the days still due stands for all days before it: the shop's first order was not reached yet. */
  readonly is_beginning_due: boolean;
  /** Its time ran out, perhaps before everything was read: it should continue soon. */
  readonly is_cut: boolean;
  readonly new_rejections: number;
  /** Orders of which it confirmed that they are deleted. */
  readonly orders_deleted: number;
  /** Orders whose lines could not be fetched, or contradict them, by this sweep or earlier ones; later sweeps retry them. */
  readonly orders_without_lines: number;
  /** Of these, orders whose lines contradict them. */
  readonly orders_with_doubtful_lines: number;
  /** Orders that the shop no longer lists, and when the last of them is checked again: their days are verified after that. */
  readonly orders_unconfirmed: number;
  readonly confirmed_at: string | null;
  /** Orders whose lines this sweep could not fetch; `problems` names them. */
  readonly orders_with_failed_lines: number;
  /** Windows that were read whole, and those that changed while they were read. */
  readonly windows_proven: number;
  readonly windows_unproven: number;
  /** What is wrong without making the sweep partial: a sentence each. */
  readonly warnings: readonly string[];
  /** The estimated cost of the sweep; null: not requested. */
  readonly estimate: Omit<SweepEstimate, 'listed'> | null;
  /** How the shop was treated in the end. */
  readonly throttle: ReturnType<typeof throttleJson>;
};

/** @param isFinished whether all due days were requested */
export async function concludeSweep(
  sweep: Sweep,
  request: SweepRequest,
  { due, range }: PlannedSweep,
  isFinished: boolean,
): Promise<RunOutcome<Swept>> {
  const { ports, state } = sweep;
  const { counters, found, pausedUntil } = state;
  const { open, isBeginningDue, first } = await readOpenDays(sweep, due, range);
  const problems = [...new Set([...state.problems, ...lineProblems(sweep)])];
  const isRead = isFinished && open === 0;
  const isWhole = isRead && problems.length === 0 && counters.newRejections === 0;
  // Single records that could not be read do not count here: the run, rejections, lines and users show them.
  const isComplete = isRead && counters.windowsUnproven === 0 && pausedUntil === undefined;
  if (isComplete) {
    await resolveUnlisted(ports.db, ports.lease);
    state.completedAt = ports.now();
  }
  if (isWhole) state.okAt = ports.now();
  found.clock = await heldClockWarning(ports.db, ports.lease.shopId, ports.shop.timezone, ports.now());
  const isOfAll = request.from === undefined && request.to === undefined;
  // What an earlier sweep found, and this one, which ran to its end, did not. A shop that requested a pause was perhaps not asked.
  state.findings = {
    ...state.findings,
    crashes: undefined,
    ...(pausedUntil === undefined && { credentials: undefined, drift: undefined }),
    ...(isComplete && isOfAll && { deletions: undefined }),
  };
  const beside = ports.api.takeBeside();
  return {
    ...(await sumUp(sweep)),
    from: (range.from ?? first ?? range.to).toString(),
    to: range.to.toString(),
    days_due: state.verified.size + open,
    is_beginning_due: isBeginningDue,
    warnings: [
      ...warn(sweep, found.clock, 'time zone or clock may be wrong'),
      ...warn(sweep, await missingBuyers(sweep), 'buyers are missing'),
      // Said once a run, however many answers are so.
      ...warn(sweep, beside && besideSentence(beside), 'text beside data'),
    ],
    status: isWhole ? 'ok' : 'partial',
    problems,
  };
}

/** Ends a sweep of named orders; the stored state of sweeps is not changed. @param warnings of orders that could not be read */
export async function concludeNamed(sweep: Sweep, warnings: readonly string[]): Promise<RunOutcome<Swept>> {
  const problems = lineProblems(sweep);
  const isWhole = problems.length === 0 && sweep.state.counters.newRejections === 0;
  const day = today(sweep.ports).toString();
  const range = { from: day, to: day, days_due: 0, is_beginning_due: false };
  return { ...(await sumUp(sweep)), ...range, warnings, status: isWhole ? 'ok' : 'partial', problems };
}

async function sumUp({ ports: { api, db, lease, logger, hasTimeLeft, shop }, state }: Sweep) {
  const { counters, lineFailures } = state;
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
    is_cut: !hasTimeLeft(),
    new_rejections: counters.newRejections,
    orders_deleted: counters.ordersDeleted,
    orders_without_lines: open.without_lines,
    orders_with_doubtful_lines: open.doubtful,
    orders_unconfirmed: open.missing,
    confirmed_at: open.confirmed_at?.toString() ?? null,
    orders_with_failed_lines: lineFailures.size,
    windows_proven: counters.windowsProven,
    windows_unproven: counters.windowsUnproven,
    estimate: shownEstimate(state.estimate),
    throttle: throttleJson(currentThrottle(api.health), api.health.pausedUntil),
  };
}

function shownEstimate(estimate: SweepEstimate | undefined): Swept['estimate'] {
  if (estimate === undefined) return null;
  const { listed: _listed, ...shown } = estimate;
  return shown;
}

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

/**
 * Whether stored orders may lack their persons, since `PII_MODE` was set back to `keep`. Each order that is read counts as changed
 * then, as its fingerprint was a keyed one.
 */
export function lacksPersons({ ports, state }: Sweep): boolean {
  return ports.shop.pseudonymize === undefined && state.privacyPolicy !== null;
}

/** @returns a warning while stored orders lack their buyers */
async function missingBuyers(sweep: Sweep): Promise<string | undefined> {
  if (!lacksPersons(sweep)) return undefined;
  const { db, lease, now, shop } = sweep.ports;
  if (await hasPseudonymized(db, lease.shopId))
    return (
      'buyers are stored again after PII_MODE=pseudonymize: an order gets its buyer back when it is read ' +
      `again; run ${nextStep('load again', { shop: shop.shopKey })} to read all of them`
    );
  await fenced(db, lease, (tx) => updateShopState(tx, lease.shopId, { privacy_policy: null }, now()));
  sweep.state.privacyPolicy = null;
  return undefined;
}

/** Fields that are no news. */
const READ_FIELDS: Readonly<Record<FieldResource, (field: string) => boolean>> = {
  order: (field) => DOCUMENTED_FIELDS.has(field),
  line: (field) => LINE_FIELDS.has(field),
  form: () => true,
};

/** Records the names of the fields that records came with. @param wasLoaded whether the shop was, before this sweep */
export async function saveFields({ ports, state }: Sweep, wasLoaded: boolean): Promise<void> {
  const { db, lease } = ports;
  const { began, fields } = state;
  const resources: readonly FieldResource[] = ['order', 'line', 'form'];
  const seen = resources.flatMap((resource) =>
    [...fields[resource]].map((field) => ({ resource, field, is_read: READ_FIELDS[resource](field) })),
  );
  if (seen.length > 0) await recordFields(db, lease.shopId, seen, wasLoaded, began);
}
