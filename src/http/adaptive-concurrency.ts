/** How many requests may be in flight: increased by every success, halved when the shop is overloaded. Pure. */
export type Concurrency = {
  /** Its whole part is what is allowed now. */
  readonly allowed: number;
  readonly max: number;
  /** The lowest whole part so far. */
  readonly lowest: number;
  /** Requests up to this number were started before the last decrease, which took their failures into account. */
  readonly decreasedAfter: number;
};

/** Successes that lead from 1 back to the maximum, whatever the maximum. */
const SUCCESSES_TO_MAX = 150;

export function fullConcurrency(max: number): Concurrency {
  return { allowed: max, max, lowest: max, decreasedAfter: 0 };
}

export function increase(state: Concurrency): Concurrency {
  const step = (state.max - 1) / SUCCESSES_TO_MAX;
  return { ...state, allowed: Math.min(state.max, state.allowed + step) };
}

/**
 * @param failed number of the request that failed, counted from 1 as they are started
 * @param lastStarted number of the request started last
 */
export function decrease(state: Concurrency, failed: number, lastStarted: number): Concurrency {
  if (failed <= state.decreasedAfter) return state;
  const allowed = Math.max(1, Math.floor(state.allowed / 2));
  return { ...state, allowed, lowest: Math.min(state.lowest, allowed), decreasedAfter: lastStarted };
}
