import { nextStep } from '../../model/next-step.ts';
import { utcText } from '../../model/amount-text.ts';
import { ShopPausedError, ShopStoppedError, TerminalError, TransientError } from '../../model/errors.ts';
import { isPast, plausiblePause } from '../../plan/clock/clock-bounds.ts';
import { withLimit } from '../../shop-api/paging/request-page.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import {
  assertSameZone,
  findShop,
  registerShop,
  type StoredShop,
} from '../../warehouse/directory/registered-shops.ts';
import { hurryPutOff } from '../../warehouse/ops/due.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import type { RunCounts, RunKind } from '../../warehouse/ops/runs.ts';
import { loadShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { assertNewShop, assertSameShop } from '../ask/recognize-shop.ts';
import {
  newCounters,
  type OpenedRun,
  type Run,
  type RunContext,
  type RunOutcome,
  type RunPorts,
  type RunState,
  type ShopContext,
} from './context.ts';
import { NO_REQUESTS, openRunRecord, runCounts, toSentence } from './run-record.ts';
import { openLease } from './shop-lease.ts';
import { addRequests, createStateSaver, firstState, toShopState } from './shop-state.ts';
import { forgetAll, openPrivacy, privacyPolicy, settleGuestSecret } from './privacy-policy.ts';
import { keepSummaries } from '../../warehouse/ops/refresh-summaries.ts';
import { currentThrottle, foundPace, measurePace } from './throttle-state.ts';

export type RunEnd<Result> = RunOutcome<Result> & {
  readonly counts: RunCounts;
  /** To the tenth. */
  readonly seconds: number;
};

/**
 * Runs work with requests to a shop: registers the shop, then does what `runStoredShop` does.
 *
 * @throws ShopStoppedError; TerminalError when another process holds the shop, its address is another shop's, or the
 *   warehouse holds it by another key; otherwise what ended the work early
 */
export async function runShop<Result>(
  context: ShopContext,
  kind: RunKind,
  work: (run: Run) => Promise<RunOutcome<Result>>,
): Promise<RunEnd<Result>> {
  const { api, shop } = context;
  const shopId = await register(context);
  return runStoredShop(context, shopId, kind, ({ ports, state }) => {
    state.profile = withLimit(state.profile, shop.pageLimit);
    return work({ ports: { ...ports, api, shop }, state });
  });
}

async function register(context: ShopContext): Promise<number> {
  const { db, shop } = context;
  const found = await findShop(db, shop.shopKey);
  if (found) assertNotStopped(found);
  await (found ? assertSameShop(context, found) : assertNewShop(context));
  return registerShop(db, shop, firstState(shop), found);
}

/** How often a run has sums recomputed. */
const REFRESH_MS = 10_000;

type WatchedContext = RunContext & { readonly api?: Pick<ShopApi, 'counts' | 'health' | 'resume'> };

/**
 * Runs work on one registered shop: takes and keeps the shop's lease, records the run however it ends, loads the shop's
 * state, and saves it with every heartbeat and at the end.
 *
 * @param context its `api`, if any, gets no request here: its figures belong to the run, and it continues at the pace found before
 * @throws TerminalError when another process holds the shop; otherwise what ended the work early
 */
export async function runStoredShop<Result>(
  context: WatchedContext,
  shopId: number,
  kind: RunKind,
  work: (run: OpenedRun) => Promise<RunOutcome<Result>>,
): Promise<RunEnd<Result>> {
  const { api, db } = context;
  const began = performance.now();
  const counters = newCounters();
  const before = { ...(api?.counts ?? NO_REQUESTS) };
  const counts = () => runCounts(api?.counts ?? NO_REQUESTS, before, counters);
  // Opened before the lease, and so closed after the lease was released.
  await using _summaries =
    context.refreshesSummaries === false
      ? undefined
      : keepSummaries(db, context.logger, context.signal, REFRESH_MS);
  await using heartbeat = await openLease(context, shopId);
  const record = await openRunRecord(context, heartbeat.lease, kind, counters, counts);
  const ended = new AbortController();
  try {
    const signal = AbortSignal.any([context.signal, heartbeat.signal, ended.signal]);
    const opened = { ...context, signal, lease: heartbeat.lease };
    const { save, ...run } = await openState(opened, kind, counters, counts);
    heartbeat.onBeat(async () => {
      await record.save();
      await save(false);
    });
    const working = work(run);
    await working.catch(() => undefined);
    // A failure to save the state must not hide why the work failed.
    await save(true).catch(() => undefined);
    const outcome = await working;
    await record.end(outcome.status, outcome.problems[0]);
    return { ...outcome, counts: counts(), seconds: Math.round((performance.now() - began) / 100) / 10 };
  } catch (error) {
    const reason = heartbeat.signal.aborted ? heartbeat.signal.reason : error;
    // Nobody waits for what is still in flight, and its lease ends soon.
    ended.abort(reason);
    const wasInterrupted = context.signal.aborted && !(context.signal.reason instanceof TransientError);
    const status = wasInterrupted ? 'interrupted' : 'failed';
    // The database may be the cause: then a row stays open, and the next run closes it as abandoned.
    await record.end(status, wasInterrupted ? 'asked to stop' : toSentence(reason)).catch(() => undefined);
    throw reason;
  }
}

/**
 * Loads the shop's state, and decides its guests' secret and what may be stored of persons.
 *
 * @returns `save` saves the state, with the requests and the pace so far
 * @throws TerminalError
 */
async function openState(
  context: WatchedContext & Pick<RunPorts, 'lease'>,
  kind: RunKind,
  counters: RunState['counters'],
  counts: () => RunCounts,
): Promise<OpenedRun & { readonly save: (isEnded: boolean) => Promise<void> }> {
  const { api, db, lease, now, shop } = context;
  const { shopKey } = shop;
  const stored = await loadShopState(db, lease.shopId);
  if (stored === undefined) {
    throw new TerminalError(
      `shop ${shopKey} has no row in ops.shop_state; run ${nextStep('sync due days', { shop: shopKey })} once to add it`,
    );
  }
  // Again, since the shop may have been moved or stopped before the lease was taken. The others send no request to it.
  assertSameZone(shopKey, stored.timezone, shop.timezone);
  assertNotDeleted({ ...stored, shopKey });
  if (kind !== 'replay' && kind !== 'forget') assertNotStopped({ ...stored, shopKey });
  const state: RunState = { ...toShopState(stored.row), counters, problems: [] };
  state.pausedUntil = plausiblePause(state.pausedUntil, now());
  if (state.lookedAt !== undefined && !isPast(state.lookedAt, now())) {
    // The clock ran ahead: what is to wait until then would wait for as long as it did.
    state.pausedUntil = undefined;
    await fenced(db, lease, (tx) => hurryPutOff(tx, lease.shopId, now()));
  }
  const known = { earlier: state.throttle?.circuit ?? 'closed', answersBefore: api?.health.answers ?? 0 };
  api?.resume(foundPace(state.throttle));
  const guestSecret = await settleGuestSecret(context, stored);
  const privacy = await openPrivacy(db, lease.shopId, shop, guestSecret, stored.erasures);
  const ports = { ...context, guestSecret, privacy };
  const policy = privacyPolicy(shop);
  if (policy !== null && policy !== state.privacyPolicy) await forgetAll(ports, state, policy);
  const saveState = createStateSaver(db, lease, stored.row, now);
  const beganMs = performance.now();
  let [counted, isOver] = [0, false];
  const save = (isEnded: boolean) => {
    // A beat may come late: the end stays the end.
    isOver ||= isEnded;
    if (api) state.throttle = currentThrottle(api.health, { ...known, isEnded: isOver });
    const { requests } = counts();
    state.loadRps = measurePace(requests, performance.now() - beganMs) ?? state.loadRps;
    state.requests = addRequests(state.requests, requests - counted, now());
    counted = requests;
    return saveState(state);
  };
  return { ports, state, save };
}

/** @throws ShopStoppedError when the shop is paused, or is being deleted */
function assertNotStopped(shop: Pick<StoredShop, 'shopKey' | 'pausedAt' | 'deletionStartedAt'>): void {
  assertNotDeleted(shop);
  const { shopKey, pausedAt } = shop;
  if (pausedAt === undefined) return;
  const back = `${nextStep('resume shop', { shop: shopKey })} brings it back`;
  throw new ShopPausedError(`shop ${shopKey} is paused since ${utcText(pausedAt)}; ${back}`);
}

/** @throws ShopStoppedError when the shop is being deleted */
function assertNotDeleted({
  shopKey,
  deletionStartedAt,
}: Pick<StoredShop, 'shopKey' | 'deletionStartedAt'>): void {
  if (deletionStartedAt === undefined) return;
  throw new ShopStoppedError(
    `shop ${shopKey} is being deleted; ${nextStep('finish deletion', { shop: shopKey })} finishes that`,
  );
}
