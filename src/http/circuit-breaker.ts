export type CircuitPolicy = {
  /** Consecutive failures, of whichever requests, after which the shop is taken to be down. @default 5 */
  readonly failures?: number;
  /** Longest pause between the first failed probe and the second; it doubles for each further one. @default 5_000 */
  readonly firstProbeMs?: number;
  /** No pause between probes is longer than this. @default 60_000 */
  readonly maxProbeMs?: number;
};

export const DEFAULT_CIRCUIT: Required<CircuitPolicy> = {
  failures: 5,
  firstProbeMs: 5000,
  maxProbeMs: 60_000,
};

/**
 * Whether the shop is taken to be up. While it is down nothing is sent but one probe at a time. The first one is sent at
 * once: it distinguishes a shop that is down from a record that cannot be fetched.
 */
export type Circuit =
  | {
      readonly kind: 'closed';
      /** Failures since the last success. */
      readonly streak: number;
      /** A request succeeded before: a shop that never answered is not down, but misconfigured. */
      readonly hasSucceeded: boolean;
      /** Requests up to this number belong to an outage that is over. */
      readonly settledAfter: number;
    }
  | {
      readonly kind: 'open';
      readonly sinceMs: number;
      readonly failedProbes: number;
      readonly probeAtMs: number;
    }
  | { readonly kind: 'half-open'; readonly sinceMs: number; readonly failedProbes: number };

/** Requests are numbered from 1 as they are started. */
export type CircuitEvent =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly number: number; readonly nowMs: number }
  | { readonly kind: 'probe-started'; readonly nowMs: number }
  /** @param lastStarted number of the request started last */
  | { readonly kind: 'probe-succeeded'; readonly lastStarted: number }
  /** @param jitter from 0 up to 1, so that clients do not probe in step */
  | { readonly kind: 'probe-failed'; readonly nowMs: number; readonly jitter: number }
  | { readonly kind: 'probe-aborted'; readonly nowMs: number };

export const NEW_CIRCUIT: Circuit = { kind: 'closed', streak: 0, hasSucceeded: false, settledAfter: 0 };

/** The state after an event; an event that does not concern the state leaves it as it is. Pure. */
export function nextCircuit(circuit: Circuit, event: CircuitEvent, policy: Required<CircuitPolicy>): Circuit {
  if (circuit.kind === 'closed') return stepClosed(circuit, event, policy);
  if (circuit.kind === 'open') {
    const isDue = event.kind === 'probe-started' && event.nowMs >= circuit.probeAtMs;
    const { sinceMs, failedProbes } = circuit;
    return isDue ? { kind: 'half-open', sinceMs, failedProbes } : circuit;
  }
  return stepHalfOpen(circuit, event, policy);
}

function stepClosed(
  circuit: Extract<Circuit, { kind: 'closed' }>,
  event: CircuitEvent,
  policy: Required<CircuitPolicy>,
): Circuit {
  if (event.kind === 'succeeded') {
    const isSame = circuit.streak === 0 && circuit.hasSucceeded;
    return isSame ? circuit : { ...circuit, streak: 0, hasSucceeded: true };
  }
  if (event.kind !== 'failed' || event.number <= circuit.settledAfter) return circuit;
  const streak = circuit.streak + 1;
  if (!circuit.hasSucceeded || streak < policy.failures) return { ...circuit, streak };
  return { kind: 'open', sinceMs: event.nowMs, failedProbes: 0, probeAtMs: event.nowMs };
}

function stepHalfOpen(
  circuit: Extract<Circuit, { kind: 'half-open' }>,
  event: CircuitEvent,
  policy: Required<CircuitPolicy>,
): Circuit {
  const { sinceMs, failedProbes } = circuit;
  switch (event.kind) {
    case 'probe-succeeded':
      return { kind: 'closed', streak: 0, hasSucceeded: true, settledAfter: event.lastStarted };
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
