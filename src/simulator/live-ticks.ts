/** Makes a shop change by itself. */
import type { SimulatedShop, TickSize } from './shop/simulated-shop.ts';

export type LiveSettings = {
  readonly everyMs: number;
  /** Per tick. @default 1 */
  readonly newOrders?: number;
  /** Per tick. @default 2 */
  readonly edits?: number;
};

/**
 * Ticks until the returned function is called; does not keep the process alive.
 *
 * @param since ticks that were due since then are caught up with at once; undefined: the first tick comes after `everyMs`
 */
export function startTicks(
  shop: SimulatedShop,
  live: LiveSettings,
  since: Temporal.Instant | undefined,
): () => void {
  const size = { newOrders: live.newOrders ?? 1, edits: live.edits ?? 2 };
  const run =
    since === undefined ? () => shop.tick(shop.now(), size) : makeCatchUp(shop, live.everyMs, size, since);
  if (since !== undefined) run(Temporal.Now.instant());
  const timer = setInterval(() => run(Temporal.Now.instant()), live.everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Runs every tick that is due and was not run yet, each at its own time: so it makes no difference when, or how often,
 * this is called, and a shop that was restarted becomes the one that it would be if it had never stopped.
 *
 * @param shop its clock must stand still at `since`
 */
export function makeCatchUp(
  shop: SimulatedShop,
  everyMs: number,
  size: TickSize,
  since: Temporal.Instant,
): (now: Temporal.Instant) => void {
  let next = since.add({ milliseconds: everyMs });
  return (now) => {
    while (Temporal.Instant.compare(next, now) <= 0) {
      shop.tick(next, size);
      next = next.add({ milliseconds: everyMs });
    }
  };
}
