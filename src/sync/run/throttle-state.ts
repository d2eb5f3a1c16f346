import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Memory } from './shop-state.ts';

/** How requests to a shop were throttled when that was last recorded. */
export type ThrottleState = NonNullable<Memory['throttle']>;

/** What the next run need not find out again. */
export function foundPace(throttle: ThrottleState | undefined): Parameters<ShopApi['resume']>[0] {
  const isSlow = throttle?.limited_by === 'slowness';
  return { rps: throttle?.found_rps ?? undefined, concurrency: isSlow ? throttle.concurrency : undefined };
}

/** With fewer requests the time is that of the first answers. */
const MEASURED_REQUESTS = 100;

/** Requests per second of a run so far, once there were enough to measure it. */
export function measurePace(requests: number, elapsedMs: number): number | undefined {
  return requests < MEASURED_REQUESTS ? undefined : (requests * 1000) / Math.max(1, elapsedMs);
}

/**
 * Requests per second at which a load is estimated.
 *
 * @param measured that a load reached; undefined: it takes the maxima, unless less was found to be right
 * @param latencyMs of one request, where it is known
 */
export function expectedPace(throttle: ThrottleState, measured: number | undefined, latencyMs = 0): number {
  const { max_rps, max_concurrency, found_rps, limited_by, concurrency } = throttle;
  if (measured !== undefined) return Math.min(max_rps, measured);
  const inFlight = limited_by === 'slowness' ? concurrency : max_concurrency;
  return Math.min(found_rps ?? max_rps, (inFlight * 1000) / Math.max(1, latencyMs));
}

/** What a run knows besides the client. */
type ThrottleContext = {
  /** As the run before recorded it. */
  readonly earlier: ThrottleState['circuit'];
  /** The client's count of answers when the run began. */
  readonly answersBefore: number;
  readonly isEnded: boolean;
};

/** Of a client that served no other run. */
const END_OF_FIRST_RUN: ThrottleContext = { earlier: 'closed', answersBefore: 0, isEnded: true };

/** The client's current state, as recorded. */
export function currentThrottle(health: ShopApi['health'], context = END_OF_FIRST_RUN): ThrottleState {
  return {
    concurrency: health.concurrency,
    lowest_concurrency: health.lowestConcurrency,
    max_concurrency: health.maxConcurrency,
    max_rps: health.maxRps,
    found_rps: health.foundRps ?? null,
    limited_by: health.limitedBy ?? null,
    circuit: recordedCircuit(health, context),
  };
}

/**
 * The breaker of a client that never had an answer does not open, and a short run sends few requests: so a shop that
 * answered nothing in a whole run counts as down too, until a run gets an answer.
 */
function recordedCircuit(
  { answers, circuit, isFailing }: ShopApi['health'],
  { answersBefore, earlier, isEnded }: ThrottleContext,
): ThrottleState['circuit'] {
  if (circuit !== 'closed') return circuit;
  if (answers > answersBefore) return 'closed';
  return isEnded && isFailing ? 'open' : earlier;
}

/** As the JSON of commands and of the status page has it. */
export function throttleJson(throttle: ThrottleState, pausedUntil: Temporal.Instant | undefined) {
  return { ...throttle, paused_until: pausedUntil?.toString() ?? null };
}
