import type { Logger, Progress } from '../../sync/run/context.ts';
import type { Io } from './io.ts';
import { clock, grouped } from './table.ts';

const REDRAW_MS = 150;
const LOG_EVERY_MS = 10_000;
const BAR_CELLS = 24;

export type ProgressView<Read = Progress> = Disposable & { watch(read: () => Read): void };

/** Shows the progress of a sweep. */
export function showProgress(io: Io, logger: Logger, shopKey: string): ProgressView {
  return showProgressWith(io, logger, shopKey, progressLine);
}

/** Redraws a bar on a terminal, logs a line every ten seconds elsewhere. @param describe the text of the bar */
export function showProgressWith<Read extends Readonly<Record<string, unknown>>>(
  io: Io,
  logger: Logger,
  shopKey: string,
  describe: (shopKey: string, progress: Read, elapsedMs: number) => string,
): ProgressView<Read> {
  const began = performance.now();
  let read: (() => Read) | undefined;
  const draw = () => {
    if (read === undefined) return;
    const progress = read();
    const elapsedMs = performance.now() - began;
    if (io.isTerminal)
      io.err(`\r\u001B[2K${describe(shopKey, progress, elapsedMs).slice(0, io.columns() - 1)}`);
    else logger.info({ shop: shopKey, ...progress }, 'progress');
  };
  const timer = setInterval(draw, io.isTerminal ? REDRAW_MS : LOG_EVERY_MS);
  return {
    watch(reader) {
      read = reader;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      if (io.isTerminal) io.err('\r\u001B[2K');
    },
  };
}

/** `default ███░░░ 42 %  76/180 days · 1,260 orders · 310 orders/s · 350 requests/s · 0:06 left` */
export function progressLine(shopKey: string, progress: Progress, elapsedMs: number): string {
  const { phase, daysTotal, daysDone, orders, users, requests } = progress;
  const perSecond = (count: number) => grouped(count / Math.max(elapsedMs / 1000, 0.001));
  const share = daysTotal === undefined ? undefined : daysTotal === 0 ? 1 : daysDone / daysTotal;
  const parts = [
    daysTotal === undefined ? `${grouped(daysDone)} days` : `${grouped(daysDone)}/${grouped(daysTotal)} days`,
    `${grouped(orders)} orders`,
    ...(users > 0 ? [`${grouped(users)} users`] : []),
    `${perSecond(orders)} orders/s`,
    `${perSecond(requests)} requests/s`,
    ...(share === undefined && phase === 'orders' ? [] : [timeLeft(phase, share ?? 1, elapsedMs)]),
  ];
  return `${shopKey}  ${share === undefined ? '' : `${barText(share)}  `}${parts.join(' · ')}`;
}

/** `███░░░  42 %` @param share from 0 to 1 */
export function barText(share: number): string {
  const filled = Math.round(share * BAR_CELLS);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}`;
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %`;
}

function timeLeft(phase: Progress['phase'], share: number, elapsedMs: number): string {
  if (phase === 'users') return 'reading users';
  return share === 0 ? '…' : `${clock((elapsedMs / share) * (1 - share))} left`;
}
