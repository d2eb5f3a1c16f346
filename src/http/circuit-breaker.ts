import type { CircuitPolicy } from './http-options.ts';

/**
 * Whether the shop is taken to be up, and the login to be accepted. While that is in doubt nothing is sent but one probe
 * at a time. The first one is sent at once: it distinguishes a shop that is down from a record that cannot be fetched,
 * and a login that is refused from a record that is.
 */
export type Circuit =
  | Closed
  | {
      readonly kind: 'open';
      readonly probeAtMs: number;
      readonly sinceMs: number;
      readonly failedProbes: number;
    }
  | HalfOpen
  | Suspect;

type HalfOpen = { readonly kind: 'half-open'; readonly sinceMs: number; readonly failedProbes: number };
/** One record was refused; `before` is what the circuit returns to. */
type Suspect = { readonly kind: 'suspect' | 'checking'; readonly before: Closed };
type Closed = {
  readonly kind: 'closed';
  /** Failures since the last success. */
  readonly streak: number;
  /** A request succeeded before: a shop that never answered is not down, but misconfigured. */
  readonly hasSucceeded: boolean;
  /** Requests up to this number belong to an outage that is over. */
  readonly settledAfter: number;
  /** Refusals of single records that need no probe, since a list was served not long ago. */
  readonly trusted: number;
};

/** A list that was served after a refusal vouches for the login in as many further refusals. */
const TRUSTED_REFUSALS = 25;

/** Requests are numbered from 1 as they are started. */
export type CircuitEvent =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly number: number; readonly nowMs: number }
  /** A record was refused, and perhaps everything is. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'probe-started'; readonly nowMs: number }
  /** @param lastStarted number of the request started last */
  | { readonly kind: 'probe-succeeded'; readonly lastStarted: number }
  /** @param jitter from 0 up to 1, so that clients do not probe in step */
  | { readonly kind: 'probe-failed'; readonly nowMs: number; readonly jitter: number }
  | { readonly kind: 'probe-aborted'; readonly nowMs: number };

export const NEW_CIRCUIT: Closed = {
  kind: 'closed',
  streak: 0,
  hasSucceeded: false,
  settledAfter: 0,
  trusted: 0,
};

/** The state after an event; an event that does not concern the state leaves it as it is. Pure. */
export function nextCircuit(circuit: Circuit, event: CircuitEvent, policy: CircuitPolicy): Circuit {
  switch (circuit.kind) {
    case 'closed':
      return stepClosed(circuit, event, policy);
    case 'open': {
      const isDue = event.kind === 'probe-started' && event.nowMs >= circuit.probeAtMs;
      const { sinceMs, failedProbes } = circuit;
      return isDue ? { kind: 'half-open', sinceMs, failedProbes } : circuit;
    }
    case 'half-open':
      return stepHalfOpen(circuit, event, policy);
    case 'suspect':
      return event.kind === 'probe-started' ? { ...circuit, kind: 'checking' } : circuit;
    default:
      return stepChecking(circuit, event);
  }
}

function stepChecking(circuit: Suspect, event: CircuitEvent): Circuit {
  if (event.kind === 'probe-aborted') return { ...circuit, kind: 'suspect' };
  if (event.kind === 'probe-failed') return circuit.before;
  return event.kind === 'probe-succeeded' ? { ...circuit.before, trusted: TRUSTED_REFUSALS } : circuit;
}

function stepClosed(circuit: Closed, event: CircuitEvent, policy: CircuitPolicy): Circuit {
  if (event.kind === 'succeeded') {
    const isSame = circuit.streak === 0 && circuit.hasSucceeded;
    return isSame ? circuit : { ...circuit, streak: 0, hasSucceeded: true };
  }
  if (event.kind === 'refused') {
    if (circuit.trusted === 0) return { kind: 'suspect', before: circuit };
    return { ...circuit, trusted: circuit.trusted - 1 };
  }
  if (event.kind !== 'failed' || event.number <= circuit.settledAfter) return circuit;
  const streak = circuit.streak + 1;
  if (!circuit.hasSucceeded || streak < policy.failures) return { ...circuit, streak };
  return { kind: 'open', sinceMs: event.nowMs, failedProbes: 0, probeAtMs: event.nowMs };
}

function stepHalfOpen(circuit: HalfOpen, event: CircuitEvent, policy: CircuitPolicy): Circuit {
  const { sinceMs, failedProbes } = circuit;
  switch (event.kind) {
    case 'probe-succeeded':
      return { ...NEW_CIRCUIT, hasSucceeded: true, settledAfter: event.lastStarted };
    case 'probe-aborted':
      return { kind: 'open', sinceMs, failedProbes, probeAtMs: event.nowMs };
    case 'probe-failed': {
      const longest = Math.min(policy.maxProbeMs, policy.firstProbeMs * 2 ** failedProbes);
      const probeAtMs = event.nowMs + longest / 2 + (event.jitter * longest) / 2;
      return { kind: 'open', sinceMs, failedProbes: failedProbes + 1, probeAtMs };
    }
    default:
      return circuit;
  }
}
