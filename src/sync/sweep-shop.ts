import { UsageError } from '../errors.ts';
import { type DayRange, type DueDay, dueDays, type DueRule } from '../plan/due-days.ts';
import type { RequestCounts } from '../shop-api/http.ts';
import { fenced } from '../warehouse/lease.ts';
import { announceDays, readLedger } from '../warehouse/ledger.ts';
import type { RunCounts } from '../warehouse/runs.ts';
import type { Progress } from './deps.ts';
import {
  earlierStart,
  historyStart,
  type RunDeps,
  type RunOutcome,
  runShop,
  type ShopContext,
  today,
} from './run-shop.ts';
import { sweepGroups } from './sweep-groups.ts';
import { sweepLines } from './sweep-lines.ts';
import { sweepOrders } from './sweep-orders.ts';
import { sweepUsers } from './sweep-users.ts';

export type SweepRequest = {
  readonly kind: 'sync' | 'backfill';
  /** First and last day; the shop's history, and today, when undefined. */
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** Verify every day of the range again, whenever it was verified last. */
  readonly force?: boolean;
  /** Believe the shop even where more orders vanished at once than looks right. */
  readonly acceptMissing?: boolean;
  /** No new window is begun after this. */
  readonly budgetMs?: number | undefined;
};

type Swept = {
  readonly daysDue: number;
  readonly newRejections: number;
  readonly range: DayRange;
};

export type SweepResult = RunOutcome<Swept> & { readonly counts: RunCounts };

/**
 * One sweep of one shop: verifies the due days newest first, then sees to buyers and groups.
 *
 * @param watch given a function that tells at any time how far the sweep has come
 * @throws TerminalError when another process holds the shop; otherwise what ended the sweep early
 */
export async function sweepShop(
  context: ShopContext,
  request: SweepRequest,
  watch: (read: () => Progress) => void = () => undefined,
): Promise<SweepResult> {
  const acceptsMissing = request.acceptMissing === true;
  return runShop(context, request.kind, (deps) => sweep({ ...deps, acceptsMissing }, request, watch));
}

async function sweep(
  deps: RunDeps,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
): Promise<RunOutcome<Swept>> {
  const { tally, now } = deps;
  const began = now();
  const progress = { phase: 'history' as Progress['phase'], daysTotal: 0 };
  const before = { ...deps.api.counts };
  watch(() => progressOf(deps, before, progress));
  const { range, due } = await dueOf(deps, request, began);
  Object.assign(progress, { phase: 'orders', daysTotal: due.length });
  const budgetMs = request.budgetMs ?? Number.POSITIVE_INFINITY;
  const mayAsk = () => now().since(began).total('milliseconds') < budgetMs;
  await sweepOrders(deps, due, mayAsk);
  await sweepLines(deps, mayAsk);
  progress.phase = 'users';
  await sweepUsers(deps, mayAsk);
  progress.phase = 'groups';
  await sweepGroups(deps);
  const shortfalls = [...new Set(tally.shortfalls)];
  const isWhole = tally.days_verified === due.length && shortfalls.length === 0 && tally.newRejections === 0;
  const swept = { daysDue: due.length, newRejections: tally.newRejections, range };
  return { ...swept, status: isWhole ? 'ok' : 'partial', shortfalls };
}

async function dueOf(
  deps: RunDeps,
  request: SweepRequest,
  now: Temporal.Instant,
): Promise<{ readonly range: DayRange; readonly due: readonly DueDay[] }> {
  const isRemembered = deps.history.from !== undefined;
  const range = await rangeOf(deps, request);
  const due = await readDue(deps, request, range, now);
  // What lies before the first day is as due as that day.
  const isFirstDue = due.at(-1)?.day.equals(range.from) === true;
  if (!isRemembered || request.from !== undefined || !isFirstDue) return { range, due };
  const longer = { ...range, from: await earlierStart(deps, range.from) };
  return { range: longer, due: await readDue(deps, request, longer, now) };
}

async function rangeOf(deps: RunDeps, { from, to }: SweepRequest): Promise<DayRange> {
  const last = today(deps);
  if (from !== undefined && Temporal.PlainDate.compare(from, last) > 0) {
    throw new UsageError(
      `--from ${from.toString()} lies in the future: in the shop it is ${last.toString()}`,
    );
  }
  const isEarlier = to !== undefined && Temporal.PlainDate.compare(to, last) < 0;
  return { from: from ?? (await historyStart(deps)), to: isEarlier ? to : last };
}

async function readDue(
  { db, lease, shop }: RunDeps,
  request: SweepRequest,
  range: DayRange,
  now: Temporal.Instant,
): Promise<readonly DueDay[]> {
  const ledger = await readLedger(db, lease.shopId, range.from, range.to);
  await fenced(db, lease, (tx) => announceDays(tx, lease.shopId, range.from, range.to));
  const rule: DueRule = request.force
    ? { by: 'force', notSince: now }
    : { by: 'policy', policy: shop.freshness };
  return dueDays(ledger, range, rule, now, shop.timezone);
}

function progressOf(
  { api, tally }: RunDeps,
  before: RequestCounts,
  at: Pick<Progress, 'phase' | 'daysTotal'>,
): Progress {
  const sent = ({ orders, content, user, groups }: RequestCounts) => orders + content + user + groups;
  const requests = sent(api.counts) - sent(before);
  return {
    ...at,
    daysDone: tally.days_verified,
    orders: tally.orders_seen,
    users: tally.usersDone,
    requests,
  };
}
