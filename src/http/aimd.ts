/** How many requests may be in flight: grows with every answer, is halved where the shop shows strain. Pure. */
export type Concurrency = {
  /** Its whole part is what is allowed now. */
  readonly allowed: number;
  readonly max: number;
  /** The lowest whole part so far. */
  readonly lowest: number;
  /** Requests up to this number were started before the last cut: their failures are known to it. */
  readonly cutAfter: number;
};

/** Answers that lead from 1 back to the maximum, whatever the maximum. */
const ANSWERS_TO_MAX = 150;

export function fullConcurrency(max: number): Concurrency {
  return { allowed: max, max, lowest: max, cutAfter: 0 };
}

export function grown(state: Concurrency): Concurrency {
  const step = (state.max - 1) / ANSWERS_TO_MAX;
  return { ...state, allowed: Math.min(state.max, state.allowed + step) };
}

/**
 * @param failed number of the request that failed, counted from 1 as they are started
 * @param newest number of the request started last
 */
export function cut(state: Concurrency, failed: number, newest: number): Concurrency {
  if (failed <= state.cutAfter) return state;
  const allowed = Math.max(1, Math.floor(state.allowed / 2));
  return { ...state, allowed, lowest: Math.min(state.lowest, allowed), cutAfter: newest };
}
