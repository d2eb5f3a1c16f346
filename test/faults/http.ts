/** Faults in how the shop is asked. */
import type { Fault } from './fault.ts';

const ROOM = 'An overloaded shop gets room to recover.';
const CREDENTIALS = 'Nothing leaks: no credential is logged or shown in an error.';

export const FAULTS: readonly Fault[] = [
  {
    promise: ROOM,
    file: 'src/http/requested-pause.ts',
    find: 'Math.max(this.#untilMs, nowMs + Math.min(retryAfterMs, MAX_PAUSE_MS))',
    replace: 'nowMs + Math.min(retryAfterMs, MAX_PAUSE_MS)',
    tests: ['test/http/pauses'],
  },
  {
    promise: ROOM,
    file: 'src/http/requested-pause.ts',
    find: 'if (leftMs <= this.#maxWaitMs)',
    replace: 'if (leftMs < this.#maxWaitMs)',
    tests: ['test/http/pauses'],
  },
  {
    promise: ROOM,
    file: 'src/http/retry.ts',
    find: 'Math.max(leftMs, spend())',
    replace: 'leftMs',
    tests: ['test/http/retries'],
  },
  {
    promise: ROOM,
    file: 'src/http/rate-limiter.ts',
    find: '      budget = spent.budget;\n',
    replace: '',
    tests: ['test/http/retries'],
  },
  {
    promise: ROOM,
    file: 'src/http/availability-gate.ts',
    find: "if (circuit.kind === 'half-open') return unlessAborted(this.#changed.promise, signal);",
    replace: "if (circuit.kind === 'half-open') return this.#probe(signal);",
    tests: ['test/http/outages'],
  },
  {
    promise: ROOM,
    file: 'src/http/read-response.ts',
    find: 'new Set([408, 425, 429])',
    replace: 'new Set([429])',
    tests: ['test/http/statuses'],
  },
  {
    promise: ROOM,
    file: 'src/http/probe.ts',
    find: '        answeredIndex = (answeredIndex + 1) % requests().length;\n        isAway',
    replace: '        answeredIndex = 0;\n        isAway',
    tests: ['test/http/recovery'],
  },
  {
    promise: 'The sweep ends after the time allowed, and the next one continues where it was.',
    file: 'src/http/retry.ts',
    find: 'ownMs + pauseMs > policy.maxTotalMs',
    replace: 'ownMs > policy.maxTotalMs',
    tests: ['test/http/retries'],
  },
  {
    promise: 'The sweep ends after the time allowed, and the next one continues where it was.',
    file: 'src/http/availability-gate.ts',
    find: 'clock.sleep(Math.min(circuit.probeAtMs, giveUpAtMs) - nowMs, signal)',
    replace: 'clock.sleep(circuit.probeAtMs - nowMs, signal)',
    tests: ['test/http/outages'],
  },
  {
    promise: CREDENTIALS,
    file: 'src/http/redirects.ts',
    find: 'if (target.origin === from.origin) return target;',
    replace: 'if (target.host === from.host) return target;',
    tests: ['test/http/redirects'],
  },
  {
    promise: CREDENTIALS,
    file: 'src/http/network-error.ts',
    find: 'new TransientError(toSentence(code, host), { cause, ',
    replace: 'new TransientError(toSentence(code, host), { cause: error, ',
    tests: ['test/http/network-errors'],
  },
  {
    promise: 'A response that is too large costs no memory.',
    file: 'src/http/connection-pool.ts',
    find: 'if (this.#size > this.#maxBytes) controller.abort(new BodyTooLargeError());\n    else this',
    replace: 'this',
    tests: ['test/http/bodies'],
  },
  {
    promise: 'A record that is refused does not stop the others.',
    file: 'src/http/refusal-check.ts',
    find: '      if (!isRefused) return;\n      const { status, cause } = error;',
    replace: '      if (!(error instanceof TerminalError)) return;\n      const { status, cause } = error;',
    tests: ['test/http/recovery'],
  },
];
