import { counted, duration, grouped, roughDuration, utcText } from '../../model/amount-text.ts';
import type { ShopStatusJson } from './shop-report.ts';

/** How a shop is doing: `word` for machines and styles, `text` for people. */
export type ShopCondition = {
  readonly word: 'complete' | 'catching-up' | 'failing' | 'paused' | 'new';
  readonly text: string;
};

/** In the order in which shops are listed: those that need somebody first. */
export const CONDITIONS: readonly ShopCondition['word'][] = [
  'failing',
  'new',
  'catching-up',
  'paused',
  'complete',
];

/**
 * A shop that somebody paused, or that requested a pause, is paused, whatever happened before; one whose last sweep failed is failing even while
 * nothing is due, since something soon will be. One whose days were all read once is complete, and its age is shown if
 * a day is older than its target. A current run is named.
 */
export function describeCondition(facts: ShopStatusJson, now: Temporal.Instant): ShopCondition {
  const { word, text } = describeState(facts, now);
  const running = facts.runs.find(({ status }) => status === 'running');
  return { word, text: running === undefined ? text : `${text}; ${running.kind} running` };
}

function describeState(facts: ShopStatusJson, now: Temporal.Instant): ShopCondition {
  const { days_due: due, days_unverified: unread, newest_verified_at: verifiedAt, runs, throttle } = facts;
  if (facts.paused_at !== null) {
    return { word: 'paused', text: `paused since ${utcText(Temporal.Instant.from(facts.paused_at))}` };
  }
  const pausedUntil = findPauseEnd(throttle, now);
  if (pausedUntil !== undefined) return { word: 'paused', text: `paused until ${utcText(pausedUntil)}` };
  const sweeps = runs.filter(({ kind }) => kind === 'sync' || kind === 'backfill');
  // A running sweep does not show yet that an earlier failure is over.
  const last = sweeps.find(({ status }) => status !== 'running');
  if (last?.status === 'failed') return { word: 'failing', text: `failing${describeRest(facts)}` };
  if (isEmptyShop(facts)) return { word: 'new', text: 'no orders yet' };
  if (facts.days_verified === 0 && facts.days_failed > 0)
    return { word: 'failing', text: 'failing, no day could be verified' };
  // Days are verified before the figures of a load, and all that belongs to it, are written.
  const isLoading = !facts.is_loaded && sweeps.some(({ status }) => status === 'running');
  if (due !== null && isLoading) return { word: 'catching-up', text: describeFirstLoad(facts) };
  // Days of orders that may be deleted are read again when that can be confirmed, not before.
  const pending = unread === 0 ? '' : `, but ${counted(unread, 'day')} to be confirmed`;
  if (due === 0) return { word: 'complete', text: `complete${pending}` };
  const readAt = verifiedAt === null ? undefined : Temporal.Instant.from(verifiedAt);
  // A range of old days may be all that was read.
  const readOn = readAt?.toZonedDateTimeISO(facts.timezone).toPlainDate().toString() ?? '';
  if (due !== null && unread === 0 && readAt !== undefined && readOn <= (facts.last_day ?? '')) {
    const ms = now.since(readAt).total('milliseconds');
    return { word: 'complete', text: `complete, ${duration(ms)} old` };
  }
  if (due !== null && !facts.is_loaded) return { word: 'catching-up', text: describeFirstLoad(facts) };
  if (due !== null) {
    // What a clock verified that ran ahead is due, and read once all the same.
    const rest = unread === 0 ? `${counted(due, 'day')} to verify` : `${counted(unread, 'day')} to read`;
    return { word: 'catching-up', text: `catching up, ${rest}` };
  }
  return sweeps.length === 0
    ? { word: 'new', text: 'not swept yet' }
    : { word: 'catching-up', text: describeFirstLoad(facts) };
}

/** What is left to read. Of a shop that was never read whole, the ledger does not name all days. */
function describeRest({ days_due: due, days_verified: read, is_loaded: isLoaded }: ShopStatusJson): string {
  if (!isLoaded) return read === 0 ? ', nothing read yet' : `, ${counted(read, 'day')} read`;
  return due ? `, ${counted(due, 'day')} due` : '';
}

/** One that answered, and never with an order. Nothing is verified by that. */
export function isEmptyShop({ days_failed: failed, listed_orders: listed, orders }: ShopStatusJson): boolean {
  return orders === 0 && listed === 0 && failed > 0;
}

/** In orders, where the shop counts them, else in days. */
function describeFirstLoad(facts: ShopStatusJson): string {
  const { days_verified: days, estimate, orders } = facts;
  if (estimate === null)
    return `first load, ${days === 0 ? 'no day read yet' : `${counted(days, 'day')} read`}`;
  const left = roughDuration(estimate.seconds);
  return `first load, ${grouped(orders)} of about ${grouped(orders + estimate.orders)} orders, about ${left} left`;
}

function findPauseEnd(
  throttle: ShopStatusJson['throttle'],
  now: Temporal.Instant,
): Temporal.Instant | undefined {
  if (!throttle?.paused_until) return undefined;
  const instant = Temporal.Instant.from(throttle.paused_until);
  return Temporal.Instant.compare(instant, now) > 0 ? instant : undefined;
}
