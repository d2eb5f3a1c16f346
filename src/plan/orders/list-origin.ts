/**
 * Whose orders a list shows: `ours`, those of the shop that the warehouse holds; `foreign`, those of another one;
 * `unclear`, which an order that is known to exist decides.
 */
export type ListOrigin = 'ours' | 'foreign' | 'unclear';

/** More orders than this do not all disappear from one shop and give way to others. */
const MAX_REPLACED = 20;
/** Fewer orders may well be deleted all at once. */
const MIN_HELD = 3;
/** A list of one row is proven by a known order anyway. */
const MIN_ROWS = 2;

/**
 * @param held live orders that the warehouse holds where the list was read
 * @param known those of them that the warehouse holds, wherever
 * @param isShopSeen the run has seen before that the shop lists what is held of it
 */
export function listOrigin(held: number, rows: number, known: number, isShopSeen: boolean): ListOrigin {
  if (rows === 0 || known > 0) return 'ours';
  if (held > MAX_REPLACED) return 'foreign';
  if (held >= MIN_HELD) return 'unclear';
  return isShopSeen || rows < MIN_ROWS ? 'ours' : 'unclear';
}

/**
 * What an unclear list counts as.
 *
 * @param samples orders held elsewhere by which the shop was to be recognized
 * @param isSampleListed whether it lists one of them
 * @param isLater whether all that came was placed after all that is held there: test orders that were deleted before the
 *   first real ones look so, and hardly another shop
 */
export function originBySamples(
  held: number,
  samples: number,
  isSampleListed: boolean,
  isLater: boolean,
): 'ours' | 'foreign' {
  if (isSampleListed) return 'ours';
  if (samples >= MIN_HELD) return 'foreign';
  return held >= MIN_HELD && !isLater ? 'foreign' : 'ours';
}
