/** Records of one transaction. */
export const MAX_BATCH = 100;
const MIN_BATCH = 10;
/** Batches that are requested and not yet written: more than one keeps the shop busy while the database works, few bound the memory. */
const UNWRITTEN_BATCHES = 2;
/** Where the first list is long, its proof takes as long as so many of its orders. */
const AHEAD_BATCHES = 5;
/** Windows that may have been read and not yet written. */
const MAX_WINDOWS = 8;
const MIN_WINDOWS = 2;
/** Contents requested at once: a list request waits behind them, so that what was listed is written before more is. */
const MAX_CONTENTS = 64;
/** Where lists come first, contents that wait for a slot, so that none is idle. */
const WAITING_CONTENTS = 4;

/**
 * How much may be under way before more of it is written: little at first, then as much as was written. So a process that
 * is killed again and again loses no more than a few times what it wrote, however soon it ends.
 *
 * @param written by this run so far
 */
export function allowance(written: number, max = MAX_BATCH, min = MIN_BATCH): number {
  return Math.min(max, Math.max(min, written));
}

/** How much of a load may be under way. */
export type LoadLimits = {
  /** Orders that are requested and not yet written, after so many were. */
  readonly orders: (written: number) => number;
  /** Windows that are read and not yet concluded, after so many were. */
  readonly windows: (concluded: number) => number;
  /** Contents that are requested at once. @param slots requests that the shop takes at once */
  readonly contents: (slots: number) => number;
};

/** Of a shop of which a process may have been killed: the next one may be too. */
export const CAREFUL: LoadLimits = {
  orders: (written) => UNWRITTEN_BATCHES * allowance(written),
  windows: (concluded) => allowance(concluded, MAX_WINDOWS, MIN_WINDOWS),
  contents: () => MAX_CONTENTS,
};

/** Of a shop that no process loaded before, so that none was killed: the first list is long, and no slot is idle while it is read. */
export const AT_ONCE: LoadLimits = {
  orders: () => AHEAD_BATCHES * MAX_BATCH,
  windows: () => MAX_WINDOWS,
  contents: (slots) => Math.min(MAX_CONTENTS, slots + WAITING_CONTENTS),
};
