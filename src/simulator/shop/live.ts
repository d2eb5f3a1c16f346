/** A shop that goes on by itself. */
import type { SimulatedShop } from './simulated-shop.ts';

export type LiveOptions = {
  readonly everyMs: number;
  /** Orders placed each time. @default 1 */
  readonly newOrders?: number;
  /** Orders whose status advances each time. @default 2 */
  readonly edits?: number;
};

/** Ticks until the returned function is called; does not keep the process alive. */
export function startLife(shop: SimulatedShop, options: LiveOptions): () => void {
  const size = { newOrders: options.newOrders ?? 1, edits: options.edits ?? 2 };
  const timer = setInterval(() => shop.tick(shop.now(), size), options.everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
