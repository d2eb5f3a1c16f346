import type { AvailabilityGate } from './availability-gate.ts';
import type { Pace } from './pace.ts';
import type { Probe } from './probe.ts';

/** How the client treats its shop at this moment: each property is read when it is accessed, so take a copy to keep it. */
export type ClientHealth = {
  /** Requests that may be in flight now, the fewest that were ever allowed, and the most. */
  readonly concurrency: number;
  readonly lowestConcurrency: number;
  readonly maxConcurrency: number;
  /** Requests that may be started per second. */
  readonly maxRps: number;
  /** Open while the shop is taken to be down; half-open while a probe is in flight. */
  readonly circuit: AvailabilityGate['circuit'];
  /** Responses so far that show that the shop is there, whatever they say. */
  readonly answers: number;
  /** Whether a request failed because of the shop as a whole, and nothing has been answered since, nor a pause requested. */
  readonly isFailing: boolean;
  /** Until when the shop requested a pause. */
  readonly pausedUntil: Temporal.Instant | undefined;
  /** Probes sent so far; they are in the counts of list requests too. */
  readonly probes: number;
};

type Parts = {
  readonly pace: Pick<Pace, 'concurrency' | 'lowestConcurrency'>;
  readonly gate: Pick<AvailabilityGate, 'answers' | 'circuit' | 'isFailing' | 'pausedUntilMs'>;
  readonly probe: Pick<Probe, 'count'>;
};

export function createClientHealth(
  { pace, gate, probe }: Parts,
  limits: Pick<ClientHealth, 'maxConcurrency' | 'maxRps'>,
): ClientHealth {
  return {
    ...limits,
    get concurrency() {
      return pace.concurrency;
    },
    get lowestConcurrency() {
      return pace.lowestConcurrency;
    },
    get circuit() {
      return gate.circuit;
    },
    get answers() {
      return gate.answers;
    },
    get isFailing() {
      return gate.isFailing;
    },
    get pausedUntil() {
      const until = gate.pausedUntilMs;
      return until === undefined ? undefined : Temporal.Instant.fromEpochMilliseconds(Math.ceil(until));
    },
    get probes() {
      return probe.count;
    },
  };
}
