/** Shops whose sweeps are sent at the same moment of a tick. */
export type Batch = { readonly afterMs: number; readonly shopKeys: readonly string[] };

/** A shorter tick is not worth spreading over: a worker polls the queue once a second. */
const MIN_SPAN_MS = 10_000;
/** Batches are at least this far apart. */
const STEP_MS = 1_000;

/**
 * Spreads shops evenly over a tick. The order of their keys decides, so that a shop has the same place at every tick and
 * in every worker, and an added shop moves the others by less than their distance.
 *
 * @param atOnce as many shops need no spreading, since one worker can sweep them at once
 */
export function spreadShops(shopKeys: readonly string[], spanMs: number, atOnce: number): readonly Batch[] {
  if (shopKeys.length <= atOnce || spanMs < MIN_SPAN_MS) return [{ afterMs: 0, shopKeys }];
  const batches = new Map<number, string[]>();
  for (const [index, shopKey] of shopKeys.toSorted().entries()) {
    const exactMs = (index * spanMs) / shopKeys.length;
    const afterMs = exactMs - (exactMs % STEP_MS);
    const batch = batches.get(afterMs);
    if (batch) batch.push(shopKey);
    else batches.set(afterMs, [shopKey]);
  }
  return [...batches].map(([afterMs, keys]) => ({ afterMs, shopKeys: keys }));
}
