import type { Logger, Progress } from '../sync/run/context.ts';

const LOG_EVERY_MS = 60_000;

/** A first load takes hours: the log shows its progress. */
export function logProgress(
  logger: Logger,
  shopKey: string,
): Disposable & { readonly watch: (read: () => Progress) => void } {
  let read: (() => Progress) | undefined;
  const timer = setInterval(() => {
    if (read === undefined) return;
    const { phase, daysDone, daysTotal, orders, ordersStored, requests } = read();
    const days = { days_verified: daysDone, days_due: daysTotal };
    // A long window is stored in parts, and counts as seen when it is whole.
    const figures = { ...days, orders_seen: orders, orders_stored: ordersStored, requests };
    logger.info({ shop: shopKey, phase, ...figures }, 'sweep in progress');
  }, LOG_EVERY_MS);
  return {
    watch: (given) => void (read = given),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
