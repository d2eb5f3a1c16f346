import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { type Circuit, type CircuitEvent, nextCircuit } from '../../src/http/circuit-breaker.ts';

const POLICY = { failures: 2, firstProbeMs: 100, maxProbeMs: 1000 };

const fresh: Circuit = { kind: 'closed', streak: 0, hasAnswered: false, settledAfter: 0 };
const failing: Circuit = { ...fresh, streak: 1, hasAnswered: true, settledAfter: 4 };
const well: Circuit = { ...failing, streak: 0 };
const open: Circuit = { kind: 'open', sinceMs: 10, failedProbes: 1, probeAtMs: 50 };
const halfOpen: Circuit = { kind: 'half-open', sinceMs: 10, failedProbes: 1 };

const answered: CircuitEvent = { kind: 'answered' };
const failed: CircuitEvent = { kind: 'failed', number: 5, nowMs: 60 };
const failedLate: CircuitEvent = { kind: 'failed', number: 4, nowMs: 60 };
const early: CircuitEvent = { kind: 'probe-begun', nowMs: 49 };
const begun: CircuitEvent = { kind: 'probe-begun', nowMs: 50 };
const probeAnswered: CircuitEvent = { kind: 'probe-answered', newest: 9 };
const probeFailed: CircuitEvent = { kind: 'probe-failed', nowMs: 60, drawn: 0.5 };
const dropped: CircuitEvent = { kind: 'probe-dropped', nowMs: 60 };

test.each<[string, Circuit, CircuitEvent, Circuit]>([
  ['never answered, an answer', fresh, answered, { ...fresh, hasAnswered: true }],
  ['never answered, a failure', { ...fresh, streak: 7 }, failed, { ...fresh, streak: 8 }],
  ['failing, an answer', failing, answered, well],
  ['well, a failure', well, failed, failing],
  ['failing, the last failure', failing, failed, { ...open, sinceMs: 60, failedProbes: 0, probeAtMs: 60 }],
  ['failing, a failure of a settled outage', failing, failedLate, failing],
  ['closed, a probe begins', well, begun, well],
  ['closed, a probe was answered', failing, probeAnswered, failing],
  ['closed, a probe failed', well, probeFailed, well],
  ['closed, a probe was dropped', well, dropped, well],
  ['open, an answer to what was asked before', open, answered, open],
  ['open, a failure', open, failed, open],
  ['open, a probe too early', open, early, open],
  ['open, a probe when due', open, begun, halfOpen],
  ['open, a probe was answered', open, probeAnswered, open],
  ['open, a probe failed', open, probeFailed, open],
  ['open, a probe was dropped', open, dropped, open],
  ['probing, an answer', halfOpen, answered, halfOpen],
  ['probing, a failure', halfOpen, failed, halfOpen],
  ['probing, a second probe', halfOpen, begun, halfOpen],
  ['probing, it was answered', halfOpen, probeAnswered, { ...well, settledAfter: 9 }],
  ['probing, it failed', halfOpen, probeFailed, { ...open, failedProbes: 2, probeAtMs: 60 + 150 }],
  ['probing, it was dropped', halfOpen, dropped, { ...open, probeAtMs: 60 }],
])('%s', (_name, before, event, after) => {
  expect(nextCircuit(before, event, POLICY)).toEqual(after);
});

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'answered',
      'failed',
      'probe-begun',
      'probe-answered',
      'probe-failed',
      'probe-dropped',
    ),
    passMs: fc.integer({ min: 0, max: 2000 }),
    drawn: fc.double({ min: 0, max: 0.999, noNaN: true }),
    age: fc.nat(3),
  }),
  { maxLength: 80 },
);

test('whatever happens in whatever order: it opens only after enough failures, probes are apart, and an answered probe closes it', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      let circuit: Circuit = fresh;
      let [nowMs, newest, streak] = [0, 0, 0];
      for (const { kind, passMs, drawn, age } of steps) {
        nowMs += passMs;
        newest += 1;
        const before = circuit;
        const event = { kind, nowMs, drawn, newest, number: newest - age } as CircuitEvent;
        circuit = nextCircuit(before, event, POLICY);
        if (before.kind === 'closed')
          streak = kind === 'failed' ? streak + 1 : kind === 'answered' ? 0 : streak;
        if (before.kind === 'closed' && circuit.kind !== 'closed') {
          expect(circuit).toMatchObject({ kind: 'open', probeAtMs: nowMs });
          expect(before.hasAnswered && streak >= POLICY.failures).toBe(true);
          streak = 0;
        }
        if (before.kind !== 'half-open' && circuit.kind === 'half-open') {
          expect(before).toMatchObject({ kind: 'open' });
          expect(before.kind === 'open' && before.probeAtMs <= nowMs).toBe(true);
        }
        if (before.kind === 'half-open' && kind === 'probe-answered') expect(circuit.kind).toBe('closed');
        if (before.kind !== 'closed' && circuit.kind !== 'closed')
          expect(circuit.sinceMs).toBe(before.sinceMs);
        if (circuit.kind === 'open') expect(circuit.probeAtMs - nowMs).toBeLessThanOrEqual(POLICY.maxProbeMs);
      }
    }),
  );
});
