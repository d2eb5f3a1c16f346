export type CircuitPolicy = {
  /** Failures in a row, of whichever requests, after which the shop is taken to be away. @default 5 */
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
 * Whether the shop is taken to be there. While it is away nothing is sent but one probe at a time. The first one is sent
 * at once: it tells a shop that is away from a record that cannot be had.
 */
export type Circuit =
  | {
      readonly kind: 'closed';
      /** Failures since the last answer. */
      readonly streak: number;
      /** The shop has answered before: what never answered is not away, but wrongly set up. */
      readonly hasAnswered: boolean;
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

/** Requests are numbered from 1 as they are started; `newest` is the last number given. */
export type CircuitEvent =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly number: number; readonly nowMs: number }
  | { readonly kind: 'probe-begun'; readonly nowMs: number }
  | { readonly kind: 'probe-answered'; readonly newest: number }
  /** @param drawn from 0 up to 1, by which clients do not come back in step */
  | { readonly kind: 'probe-failed'; readonly nowMs: number; readonly drawn: number }
  | { readonly kind: 'probe-dropped'; readonly nowMs: number };

export const NEW_CIRCUIT: Circuit = { kind: 'closed', streak: 0, hasAnswered: false, settledAfter: 0 };

/** The state after an event; an event that does not concern the state leaves it as it is. Pure. */
export function nextCircuit(circuit: Circuit, event: CircuitEvent, policy: Required<CircuitPolicy>): Circuit {
  if (circuit.kind === 'closed') return whileClosed(circuit, event, policy);
  if (circuit.kind === 'open') {
    const isDue = event.kind === 'probe-begun' && event.nowMs >= circuit.probeAtMs;
    const { sinceMs, failedProbes } = circuit;
    return isDue ? { kind: 'half-open', sinceMs, failedProbes } : circuit;
  }
  return whileProbing(circuit, event, policy);
}

function whileClosed(
  circuit: Extract<Circuit, { kind: 'closed' }>,
  event: CircuitEvent,
  policy: Required<CircuitPolicy>,
): Circuit {
  if (event.kind === 'answered') return { ...circuit, streak: 0, hasAnswered: true };
  if (event.kind !== 'failed' || event.number <= circuit.settledAfter) return circuit;
  const streak = circuit.streak + 1;
  if (!circuit.hasAnswered || streak < policy.failures) return { ...circuit, streak };
  return { kind: 'open', sinceMs: event.nowMs, failedProbes: 0, probeAtMs: event.nowMs };
}

function whileProbing(
  circuit: Extract<Circuit, { kind: 'half-open' }>,
  event: CircuitEvent,
  policy: Required<CircuitPolicy>,
): Circuit {
  const { sinceMs, failedProbes } = circuit;
  switch (event.kind) {
    case 'probe-answered':
      return { kind: 'closed', streak: 0, hasAnswered: true, settledAfter: event.newest };
    case 'probe-dropped':
      return { kind: 'open', sinceMs, failedProbes, probeAtMs: event.nowMs };
    case 'probe-failed': {
      const longest = Math.min(policy.maxProbeMs, policy.firstProbeMs * 2 ** failedProbes);
      const probeAtMs = event.nowMs + longest / 2 + (event.drawn * longest) / 2;
      return { kind: 'open', sinceMs, failedProbes: failedProbes + 1, probeAtMs };
    }
    default:
      return circuit;
  }
}
