import { clock, grouped, minuteText } from '../../model/amount-text.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Logger, Progress } from '../../sync/run/context.ts';
import type { ReplayProgress } from '../../sync/replay/replay-shop.ts';
import type { VerifyProgress } from '../../sync/verify/verify-shop.ts';
import { type CliContext, note } from './io.ts';

const REDRAW_MS = 150;
const LOG_EVERY_MS = 10_000;
const PIPED_COLUMNS = 120;
const BAR_CELLS = 12;
const MAX_KEY_LENGTH = 20;
export const CLEAR_LINE = '\r\u001B[2K';

/** How far some work is. */
export type ShownProgress = {
  /** From 0 to 1; undefined: nobody knows yet. */
  readonly share: number | undefined;
  /** The most important first: what does not fit is cut off. */
  readonly parts: readonly string[];
};

/** What work is done on. */
type Watched = {
  readonly logger: Logger;
  readonly shop: { readonly shopKey: string };
  /** Undefined: no shop is asked. */
  readonly api?: { readonly health: Health };
};
type Health = Pick<ShopApi['health'], 'isFailing' | 'waitsUntil' | 'pausedUntil'>;

/**
 * Shows how far some work is, and that the shop does not answer: redraws a line on a terminal, writes one every ten seconds elsewhere.
 *
 * @param describe gets the time since the work began
 * @param work reports its progress
 */
export async function withProgress<Read extends Readonly<Record<string, unknown>>, Result>(
  context: Pick<CliContext, 'io' | 'flags'>,
  { api, logger, shop: { shopKey } }: Watched,
  describe: (progress: Read, elapsedMs: number) => ShownProgress,
  work: (watch: (read: () => Read) => void) => Promise<Result>,
): Promise<Result> {
  const { io, flags } = context;
  const began = performance.now();
  let read: (() => Read) | undefined;
  const draw = () => {
    const waits = api && waitText(api.health);
    if (read === undefined && waits === undefined) return;
    const progress = read?.();
    const far = progress && describe(progress, performance.now() - began);
    // While it waits, there is no room for the bar.
    const parts = [...(waits === undefined ? [] : [waits]), ...(far?.parts ?? [])];
    const shown = { share: waits === undefined ? far?.share : undefined, parts };
    // The last column stays free: some terminals begin a new line when it is written.
    if (io.isTerminal) note(context, `${CLEAR_LINE}${lineText(shopKey, shown, io.columns() - 1)}`);
    else if (flags.json)
      logger.info({ shop: shopKey, ...progress, ...(waits !== undefined && { waits }) }, 'progress');
    else note(context, `${lineText(shopKey, shown, PIPED_COLUMNS)}\n`);
  };
  const timer = setInterval(draw, io.isTerminal ? REDRAW_MS : LOG_EVERY_MS);
  try {
    return await work((reader) => {
      read = reader;
    });
  } finally {
    clearInterval(timer);
    if (io.isTerminal) note(context, CLEAR_LINE);
  }
}

/** Why nothing happens, and for how long that may be so; undefined while the shop answers. */
function waitText({ isFailing, pausedUntil, waitsUntil }: Health): string | undefined {
  if (pausedUntil !== undefined) return `the shop requested a pause until ${minuteText(pausedUntil)}`;
  if (waitsUntil !== undefined)
    return `the shop does not answer; waiting until ${minuteText(waitsUntil)} at most`;
  return isFailing ? 'the shop does not answer; trying again' : undefined;
}

/** `default  ██████░░░░░░  50 %  1,500/3,000 orders · 0:10 left · 150 orders/s`, of at most so many columns. */
export function lineText(shopKey: string, { share, parts }: ShownProgress, columns: number): string {
  const key = shopKey.length > MAX_KEY_LENGTH ? `${shopKey.slice(0, MAX_KEY_LENGTH - 1)}…` : shopKey;
  const done = share === undefined ? '' : `${barText(Math.min(share, 1))}  `;
  return `${key}  ${done}${parts.join(' · ')}`.slice(0, columns);
}

function barText(share: number): string {
  const filled = Math.round(share * BAR_CELLS);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${percent} %`;
}

/** @param elapsedMs since it began */
export const perSecond = (count: number, elapsedMs: number) =>
  grouped(count / Math.max(elapsedMs / 1000, 0.001));

/** Of a sweep. */
export function sweepProgress(progress: Progress, elapsedMs: number): ShownProgress {
  const { phase, days_due, days_verified, orders_total, orders_read, users, requests } = progress;
  const isUsers = phase === 'users';
  const left = isUsers ? undefined : progress.seconds_left;
  const ofTotal = orders_total === undefined ? '' : `/${grouped(Math.max(orders_total, orders_read))}`;
  return {
    share: isUsers ? 1 : findShare(progress),
    // What nothing is known of yet is left out.
    parts: [
      `${grouped(orders_read)}${ofTotal} orders`,
      ...(isUsers ? [`reading users: ${grouped(users)}`] : []),
      ...(left === undefined ? [] : [`${clock(left * 1000)} left`]),
      ...(orders_read === 0 || isUsers ? [] : [`${perSecond(orders_read, elapsedMs)} orders/s`]),
      `${grouped(days_verified)}${days_due === undefined ? '' : `/${grouped(days_due)}`} days`,
      `${perSecond(requests, elapsedMs)} requests/s`,
    ],
  };
}

/** Of a comparison. Orders that came meanwhile are compared, too. */
export function verifyProgress(
  { orders_read: read, orders_total: total }: VerifyProgress,
  elapsedMs: number,
): ShownProgress {
  const orders = `${grouped(read)}/${grouped(Math.max(total, read))} orders`;
  return {
    share: total === 0 ? undefined : read / total,
    parts: [orders, `${perSecond(read, elapsedMs)} orders/s`],
  };
}

/** What is done: by orders where their number is known, else by days. */
function findShare({ days_due, days_verified, orders_total, orders_read }: Progress): number | undefined {
  if (orders_total !== undefined && orders_total > 0) return orders_read / orders_total;
  if (days_due === undefined) return undefined;
  return days_due === 0 ? 1 : days_verified / days_due;
}

/** Of a replay. Records that arrived meanwhile are replayed too. */
export function replayProgress(
  { stage, done, total, own }: ReplayProgress,
  elapsedMs: number,
): ShownProgress {
  const leftMs = (Math.max(total - done, 0) / Math.max(own, 1)) * elapsedMs;
  return {
    share: total === 0 ? 1 : done / total,
    parts: [
      `${grouped(done)}/${grouped(total)} records`,
      own === 0 ? '…' : `${clock(leftMs)} left`,
      `${perSecond(own, elapsedMs)} records/s`,
      stage,
    ],
  };
}
