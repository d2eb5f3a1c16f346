import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  type Circuit,
  type CircuitEvent,
  NEW_CIRCUIT,
  nextCircuit,
} from '../../src/http/availability-gate.ts';

const POLICY = { failures: 2, firstProbeMs: 100, maxProbeMs: 1000 };

const fresh = NEW_CIRCUIT;
const failing = { ...fresh, streak: 1, hasSucceeded: true, settledAfter: 4 };
const working = { ...failing, streak: 0 };
const open: Circuit = { kind: 'open', sinceMs: 10, failedProbes: 1, probeAtMs: 50 };
const trusting = { ...working, trusted: 1 };
const suspect: Circuit = { kind: 'suspect', before: working };
const checking: Circuit = { kind: 'checking', before: working };
const halfOpen: Circuit = { ...open, kind: 'half-open' };

const succeeded: CircuitEvent = { kind: 'succeeded' };
const failed: CircuitEvent = { kind: 'failed', number: 5, nowMs: 60 };
const failedLate: CircuitEvent = { kind: 'failed', number: 4, nowMs: 60 };
const refused: CircuitEvent = { kind: 'refused' };
const early: CircuitEvent = { kind: 'probe-started', nowMs: 49 };
const started: CircuitEvent = { kind: 'probe-started', nowMs: 50 };
const probeSucceeded: CircuitEvent = { kind: 'probe-succeeded', lastStarted: 9 };
const probeFailed: CircuitEvent = { kind: 'probe-failed', nowMs: 60, jitter: 0.5 };
const aborted: CircuitEvent = { kind: 'probe-aborted', nowMs: 60 };

test.each<[string, Circuit, CircuitEvent, Circuit]>([
  ['never succeeded, a success', fresh, succeeded, { ...fresh, hasSucceeded: true }],
  ['never succeeded, a failure', { ...fresh, streak: 7 }, failed, { ...fresh, streak: 8 }],
  ['failing, a success', failing, succeeded, working],
  ['working, a failure', working, failed, failing],
  ['failing, the last failure', failing, failed, { ...open, sinceMs: 60, failedProbes: 0, probeAtMs: 60 }],
  ['failing, a failure of a settled outage', failing, failedLate, failing],
  ['closed, a probe starts', working, started, working],
  ['closed, a probe succeeded', failing, probeSucceeded, failing],
  ['closed, a probe failed', working, probeFailed, working],
  ['closed, a probe was aborted', working, aborted, working],
  ['open, a success of an earlier request', open, succeeded, open],
  ['open, a failure', open, failed, open],
  ['open, a probe too early', open, early, open],
  ['open, a probe when due', open, started, halfOpen],
  ['open, a probe succeeded', open, probeSucceeded, open],
  ['open, a probe failed', open, probeFailed, open],
  ['open, a probe was aborted', open, aborted, open],
  ['probing, a success', halfOpen, succeeded, halfOpen],
  ['probing, a failure', halfOpen, failed, halfOpen],
  ['probing, a second probe', halfOpen, started, halfOpen],
  ['probing, it succeeded', halfOpen, probeSucceeded, { ...working, settledAfter: 9 }],
  ['probing, it failed', halfOpen, probeFailed, { ...open, failedProbes: 2, probeAtMs: 60 + 150 }],
  ['probing, it was aborted', halfOpen, aborted, { ...open, probeAtMs: 60 }],
  ['working, a record is refused', working, refused, suspect],
  ['trusting, a record is refused', trusting, refused, working],
  ['open, a record is refused', open, refused, open],
  ['probing, a record is refused', halfOpen, refused, halfOpen],
  ['suspect, a success', suspect, succeeded, suspect],
  ['suspect, a failure', suspect, failed, suspect],
  ['suspect, a probe starts', suspect, started, checking],
  ['checking, a record is refused', checking, refused, checking],
  ['checking, a second probe', checking, started, checking],
  ['checking, a list was served', checking, probeSucceeded, { ...working, trusted: 25 }],
  ['checking, it failed or was refused', checking, probeFailed, working],
  ['checking, it was aborted', checking, aborted, suspect],
])('%s', (_name, before, event, after) => {
  expect(nextCircuit(before, event, POLICY)).toEqual(after);
});

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'succeeded',
      'failed',
      'probe-started',
      'probe-succeeded',
      'probe-failed',
      'probe-aborted',
    ),
    passMs: fc.integer({ min: 0, max: 2000 }),
    jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
    age: fc.nat(3),
  }),
  { maxLength: 80 },
);

test('whatever happens in whatever order: it opens only after enough failures, probes are apart, and a successful probe closes it', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      let circuit: Circuit = fresh;
      let [nowMs, lastStarted, streak] = [0, 0, 0];
      for (const { kind, passMs, jitter, age } of steps) {
        nowMs += passMs;
        lastStarted += 1;
        const before = circuit;
        const event = { kind, nowMs, jitter, lastStarted, number: lastStarted - age } as CircuitEvent;
        circuit = nextCircuit(before, event, POLICY);
        if (before.kind === 'closed')
          streak = kind === 'failed' ? streak + 1 : kind === 'succeeded' ? 0 : streak;
        if (before.kind === 'closed' && circuit.kind !== 'closed') {
          expect(circuit).toMatchObject({ kind: 'open', probeAtMs: nowMs });
          expect(before.hasSucceeded && streak >= POLICY.failures).toBe(true);
          streak = 0;
        }
        if (before.kind !== 'half-open' && circuit.kind === 'half-open') {
          expect(before).toMatchObject({ kind: 'open' });
          expect(before.kind === 'open' && before.probeAtMs <= nowMs).toBe(true);
        }
        if (before.kind === 'half-open' && kind === 'probe-succeeded') expect(circuit.kind).toBe('closed');
        if ('sinceMs' in before && 'sinceMs' in circuit) expect(circuit.sinceMs).toBe(before.sinceMs);
        if (circuit.kind === 'open') expect(circuit.probeAtMs - nowMs).toBeLessThanOrEqual(POLICY.maxProbeMs);
      }
    }),
  );
});
