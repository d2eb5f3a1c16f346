import { clock, grouped } from '../../model/amount-text.ts';
import type { Logger, Progress } from '../../sync/run/context.ts';
import { type CliContext, note } from './io.ts';

const REDRAW_MS = 150;
const LOG_EVERY_MS = 10_000;
const PIPED_COLUMNS = 120;
/** A longer bar says no more; a shorter one than `MIN_BAR_CELLS` says nothing. */
const BAR_CELLS = 24;
const MIN_BAR_CELLS = 6;
const MAX_KEY_LENGTH = 20;
export const CLEAR_LINE = '\r\u001B[2K';

/** Draws a line for people. @param columns that it may have */
type DescribeProgress<Read> = (shopKey: string, progress: Read, elapsedMs: number, columns: number) => string;

/**
 * Shows how far some work is: redraws a line on a terminal, writes one every ten seconds elsewhere.
 *
 * @param work hands over what tells how far it is
 */
export async function withProgress<Read extends Readonly<Record<string, unknown>>, Result>(
  context: Pick<CliContext, 'io' | 'flags'>,
  logger: Logger,
  shopKey: string,
  describe: DescribeProgress<Read>,
  work: (watch: (read: () => Read) => void) => Promise<Result>,
): Promise<Result> {
  const { io, flags } = context;
  const began = performance.now();
  let read: (() => Read) | undefined;
  const draw = () => {
    if (read === undefined) return;
    const progress = read();
    const line = (columns: number) => describe(shopKey, progress, performance.now() - began, columns);
    // The last column stays free: some terminals begin a new line when it is written.
    if (io.isTerminal) note(context, `${CLEAR_LINE}${line(io.columns() - 1)}`);
    else if (flags.json) logger.info({ shop: shopKey, ...progress }, 'progress');
    else note(context, `${line(PIPED_COLUMNS)}\n`);
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

/** `default  ███████░░░░░░░ 50 %  1,500/3,000 orders · 0:10 left · 150 orders/s · 90/180 days` */
export function progressLine(
  shopKey: string,
  progress: Progress,
  elapsedMs: number,
  columns: number,
): string {
  const { phase, days_due, days_verified, orders_total, orders_read, users, requests, seconds_left } =
    progress;
  const perSecond = (count: number) => grouped(count / Math.max(elapsedMs / 1000, 0.001));
  const share = phase === 'users' ? 1 : findShare(progress);
  // The most important first: what does not fit is left out.
  const parts = [
    orders_total === undefined
      ? `${grouped(orders_read)} orders`
      : `${grouped(orders_read)}/${grouped(Math.max(orders_total, orders_read))} orders`,
    ...(phase === 'users' ? [`reading users: ${grouped(users)}`] : []),
    // What nothing is known of yet is left out.
    ...(seconds_left === undefined || phase === 'users' ? [] : [`${clock(seconds_left * 1000)} left`]),
    ...(orders_read === 0 || phase === 'users' ? [] : [`${perSecond(orders_read)} orders/s`]),
    `${grouped(days_verified)}${days_due === undefined ? '' : `/${grouped(days_due)}`} days`,
    `${perSecond(requests)} requests/s`,
  ];
  return fitLine(shopKey, share, parts, columns);
}

/** What is done: by orders where their number is known, else by days. */
function findShare({ days_due, days_verified, orders_total, orders_read }: Progress): number | undefined {
  if (orders_total !== undefined && orders_total > 0) return orders_read / orders_total;
  if (days_due === undefined) return undefined;
  return days_due === 0 ? 1 : days_verified / days_due;
}

/**
 * A line of at most `columns`: as many parts as fit, in the order given, and a bar in what is left.
 *
 * @param done the share that is done: all, where more was done than was planned; undefined: there is no bar
 */
export function fitLine(
  shopKey: string,
  done: number | undefined,
  parts: readonly string[],
  columns: number,
): string {
  const key = shopKey.length > MAX_KEY_LENGTH ? `${shopKey.slice(0, MAX_KEY_LENGTH - 1)}…` : shopKey;
  const share = done && Math.min(done, 1);
  const percent = share === undefined ? '' : `${String(Math.floor(share * 100)).padStart(3)} %  `;
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : `${line} · ${part}`;
    const length = key.length + 2 + percent.length + longer.length;
    const bar = share === undefined ? 0 : MIN_BAR_CELLS + 1;
    if (length + bar > columns) break;
    line = longer;
  }
  if (share === undefined) return `${key}  ${line}`.slice(0, columns);
  const space = columns - key.length - percent.length - line.length - 3;
  const bar = space < MIN_BAR_CELLS ? '' : `${barText(share, Math.min(space, BAR_CELLS))} `;
  return `${key}  ${bar}${percent}${line}`.slice(0, columns);
}

/** `███░░░` @param share from 0 to 1 */
function barText(share: number, cells: number): string {
  const filled = Math.round(share * cells);
  return `${'█'.repeat(filled)}${'░'.repeat(cells - filled)}`;
}
