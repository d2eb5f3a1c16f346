import type { Circuit } from './circuit-breaker.ts';
import type { Gate } from './availability-gate.ts';
import type { Throttle } from './rate-limiter.ts';

/** How the client treats its shop at this moment: reads anew at each access, so take a copy to keep it. */
export type Gauge = {
  /** Requests that may be in flight now, the fewest that were ever allowed, and the most. */
  readonly concurrency: number;
  readonly lowestConcurrency: number;
  readonly maxConcurrency: number;
  /** Requests that may be started per second. */
  readonly maxRps: number;
  /** Open while the shop is taken to be away; half-open while a probe is in flight. */
  readonly circuit: Circuit['kind'];
  /** Until when the shop asked to be left alone. */
  readonly pausedUntil: Temporal.Instant | undefined;
  /** Probes sent so far; they are in the counts of list requests too. */
  readonly probes: number;
};

type Parts = {
  readonly throttle: Pick<Throttle, 'concurrency' | 'lowestConcurrency'>;
  readonly gate: Pick<Gate, 'circuit' | 'pausedUntilMs'>;
  readonly sent: { readonly probes: number };
};

export function gaugeOf(
  { throttle, gate, sent }: Parts,
  limits: Pick<Gauge, 'maxConcurrency' | 'maxRps'>,
): Gauge {
  return {
    ...limits,
    get concurrency() {
      return throttle.concurrency;
    },
    get lowestConcurrency() {
      return throttle.lowestConcurrency;
    },
    get circuit() {
      return gate.circuit;
    },
    get pausedUntil() {
      const until = gate.pausedUntilMs;
      return until === undefined ? undefined : Temporal.Instant.fromEpochMilliseconds(Math.ceil(until));
    },
    get probes() {
      return sent.probes;
    },
  };
}
