import { TerminalError, TransientError, UnavailableError } from '../errors.ts';
import { unlessAborted } from './abort.ts';
import {
  type Circuit,
  type CircuitEvent,
  type CircuitPolicy,
  NEW_CIRCUIT,
  nextCircuit,
} from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import { RefusalCheck } from './refusal-check.ts';
import { RequestedPause } from './requested-pause.ts';

export type AvailabilityGateOptions = {
  readonly clock: Clock;
  readonly circuit: Required<CircuitPolicy>;
  /** A requested pause is waited for up to this. */
  readonly maxRetryAfterMs: number;
  /** A shop that does not answer is waited for up to this. */
  readonly maxOutageMs: number;
  /** Asks the shop for something that does not depend on any record. */
  readonly probe: (signal: AbortSignal | undefined) => Promise<unknown>;
  /** Number of the request started last. */
  readonly lastStarted: () => number;
};

/**
 * What every request of a shop passes before each of its attempts: shut during a pause that the shop requested, while
 * its circuit is not closed, and while it is being checked whether the login is refused.
 */
export class AvailabilityGate {
  readonly #options: AvailabilityGateOptions;
  readonly #pause: RequestedPause;
  readonly #refusals = new RefusalCheck();
  #circuit: Circuit = NEW_CIRCUIT;
  #changed = Promise.withResolvers<void>();
  #outages = 0;
  #answers = 0;
  #isFailing = false;
  #lastFailure = '';

  constructor(options: AvailabilityGateOptions) {
    this.#options = options;
    this.#pause = new RequestedPause(options.maxRetryAfterMs);
  }

  get circuit(): Circuit['kind'] {
    return this.#circuit.kind;
  }

  /** Until when the shop requested a pause, in milliseconds of the clock; undefined where that is over. */
  get pausedUntilMs(): number | undefined {
    return this.#pause.untilMs(this.#options.clock.nowMs());
  }

  /** Outages so far that a probe confirmed. */
  get outages(): number {
    return this.#outages;
  }

  /** Responses so far that show that the server is there, whatever they say. */
  get answers(): number {
    return this.#answers;
  }

  /** Whether a request failed because of the server as a whole, and nothing has been answered since, nor a pause requested. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  get isShut(): boolean {
    return this.#refusals.isPending || this.circuit !== 'closed' || this.pausedUntilMs !== undefined;
  }

  /**
   * Waits until requests may be sent. During an outage, one of those who wait sends the probe.
   *
   * @throws UnavailableError when that takes too long; the signal's reason
   */
  async pass(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    while (this.isShut) {
      await this.#wait(signal);
      signal?.throwIfAborted();
    }
  }

  /**
   * One record was refused: until a request that concerns no record shows whether all are, nothing else is sent, so
   * that a login that was revoked is not tried again by everything in the queue.
   */
  recordRefused(): void {
    this.#refusals.recordRefused();
  }

  /** Where a record was refused, waits until it is known whether the shop refuses everything. @throws the signal's reason */
  async refusalChecked(signal: AbortSignal | undefined): Promise<void> {
    while (this.#refusals.isPending) await this.#wait(signal);
  }

  /** How often the shop was found to refuse everything; requests that began before that are no longer sent. */
  get refusals(): number {
    return this.#refusals.shopRefusals;
  }

  /**
   * @param before the count of refusals when the request was begun
   * @throws TerminalError where the shop was found to refuse everything since then
   */
  assertNotRefused(before: number): void {
    this.#refusals.assertNotRefused(before);
  }

  recordAnswer(): void {
    this.#answers++;
    this.#isFailing = false;
  }

  recordSuccess(): void {
    this.#step({ kind: 'succeeded' });
  }

  /**
   * @param number of the failed request
   * @param error what the shop as a whole failed with
   */
  recordFailure(number: number, error: TransientError): void {
    this.#note(error);
    this.#step({ kind: 'failed', number, nowMs: this.#options.clock.nowMs() });
  }

  /** One step of the wait: what comes after it is decided again. */
  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { clock, maxOutageMs } = this.#options;
    const nowMs = clock.nowMs();
    const pauseMs = this.#pause.waitMs(nowMs);
    if (pauseMs > 0) return clock.sleep(pauseMs, signal);
    const circuit = this.#circuit;
    if (circuit.kind === 'closed') {
      if (!this.#refusals.isPending) return;
      return this.#refusals.isRunning
        ? unlessAborted(this.#changed.promise, signal)
        : this.#checkRefusal(signal);
    }
    if (circuit.kind === 'half-open') return unlessAborted(this.#changed.promise, signal);
    if (nowMs >= circuit.probeAtMs) return this.#probe(signal);
    const giveUpAtMs = circuit.sinceMs + maxOutageMs;
    if (nowMs >= giveUpAtMs) throw unavailable(nowMs - circuit.sinceMs, this.#lastFailure);
    return clock.sleep(Math.min(circuit.probeAtMs, giveUpAtMs) - nowMs, signal);
  }

  async #probe(signal: AbortSignal | undefined): Promise<void> {
    const { clock, lastStarted, probe } = this.#options;
    this.#step({ kind: 'probe-started', nowMs: clock.nowMs() });
    try {
      await probe(signal);
      this.recordAnswer();
      this.#step({ kind: 'probe-succeeded', lastStarted: lastStarted() });
    } catch (error) {
      // A refusal shows that the shop is there: those who wait will be refused themselves.
      if (error instanceof TerminalError) {
        this.recordAnswer();
        return this.#step({ kind: 'probe-succeeded', lastStarted: lastStarted() });
      }
      if (!(error instanceof TransientError) || signal?.aborted === true) {
        this.#step({ kind: 'probe-aborted', nowMs: clock.nowMs() });
        throw error;
      }
      this.#note(error);
      this.#step({ kind: 'probe-failed', nowMs: clock.nowMs(), jitter: Math.random() });
      if (this.#circuit.kind === 'open' && this.#circuit.failedProbes === 1) this.#outages++;
    }
  }

  async #checkRefusal(signal: AbortSignal | undefined): Promise<void> {
    const probe = () =>
      this.#options.probe(signal).catch((error: unknown) => {
        if (error instanceof TransientError && signal?.aborted !== true) this.#note(error);
        throw error;
      });
    try {
      await this.#refusals.run(probe, signal);
    } finally {
      this.#wake();
    }
  }

  #note({ message, retryAfterMs }: TransientError): void {
    this.#isFailing = retryAfterMs === undefined;
    this.#lastFailure = message;
    if (retryAfterMs !== undefined) this.#pause.request(retryAfterMs, this.#options.clock.nowMs());
  }

  #step(event: CircuitEvent): void {
    const next = nextCircuit(this.#circuit, event, this.#options.circuit);
    if (next === this.#circuit) return;
    this.#circuit = next;
    this.#wake();
  }

  /** Everybody who waits for a change looks again. */
  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function unavailable(ms: number, lastFailure: string): UnavailableError {
  return new UnavailableError(
    `the shop has not answered for ${durationText(ms)} (last: ${lastFailure}); what was written is kept, and the next run ` +
      'resumes where this one ended',
  );
}

function durationText(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
