import { LONGEST_ABSENCE_MS, TerminalError, TransientError, UnavailableError } from '../errors.ts';
import { type Circuit, type CircuitEvent, type CircuitPolicy, NEW_CIRCUIT, nextCircuit } from './circuit.ts';
import type { Clock } from './clock.ts';
import { unlessAborted } from './unless-aborted.ts';

export type GateOptions = {
  readonly clock: Clock;
  readonly circuit: Required<CircuitPolicy>;
  /** A pause that the shop asks for is waited for up to this. */
  readonly maxRetryAfterMs: number;
  /** A shop that does not answer is waited for up to this. */
  readonly maxOutageMs: number;
  /** Asks the shop for something that does not depend on any record. */
  readonly probe: (signal: AbortSignal | undefined) => Promise<unknown>;
  /** Number of the request started last. */
  readonly newest: () => number;
};

/**
 * What every request of a shop passes before each of its tries: shut while the shop asked for a pause, and while its
 * circuit is not closed.
 */
export class Gate {
  readonly #options: GateOptions;
  #circuit: Circuit = NEW_CIRCUIT;
  #changed = Promise.withResolvers<void>();
  #pausedUntilMs = 0;
  #outages = 0;
  #lastFailure = '';

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get circuit(): Circuit['kind'] {
    return this.#circuit.kind;
  }

  /** Until when the shop asked to be left alone, in milliseconds of the clock; undefined where that is over. */
  get pausedUntilMs(): number | undefined {
    return this.#pausedUntilMs > this.#options.clock.nowMs() ? this.#pausedUntilMs : undefined;
  }

  /** Outages so far that a probe confirmed. */
  get outages(): number {
    return this.#outages;
  }

  get isShut(): boolean {
    return this.circuit !== 'closed' || this.pausedUntilMs !== undefined;
  }

  /**
   * Waits until the shop may be asked. While it is away, one of those who wait sends the probe.
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

  answered(): void {
    this.#step({ kind: 'answered' });
  }

  /**
   * @param number of the failed request
   * @param error what the shop as a whole failed with
   */
  failed(number: number, error: TransientError): void {
    this.#note(error);
    this.#step({ kind: 'failed', number, nowMs: this.#options.clock.nowMs() });
  }

  /** One step of the wait: what comes after it is decided anew. */
  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { clock, maxRetryAfterMs, maxOutageMs } = this.#options;
    const nowMs = clock.nowMs();
    const pauseMs = this.#pausedUntilMs - nowMs;
    if (pauseMs > maxRetryAfterMs) throw comeBackLater(pauseMs);
    if (pauseMs > 0) return clock.sleep(pauseMs, signal);
    const circuit = this.#circuit;
    if (circuit.kind === 'closed') return;
    if (circuit.kind === 'half-open') return unlessAborted(this.#changed.promise, signal);
    if (nowMs >= circuit.probeAtMs) return this.#probe(signal);
    const givenUpAtMs = circuit.sinceMs + maxOutageMs;
    if (nowMs >= givenUpAtMs) throw awayForLong(nowMs - circuit.sinceMs, this.#lastFailure);
    return clock.sleep(Math.min(circuit.probeAtMs, givenUpAtMs) - nowMs, signal);
  }

  async #probe(signal: AbortSignal | undefined): Promise<void> {
    const { clock, newest, probe } = this.#options;
    this.#step({ kind: 'probe-begun', nowMs: clock.nowMs() });
    try {
      await probe(signal);
      this.#step({ kind: 'probe-answered', newest: newest() });
    } catch (error) {
      // A refusal is an answer: those who wait get to hear it themselves.
      if (error instanceof TerminalError) return this.#step({ kind: 'probe-answered', newest: newest() });
      if (!(error instanceof TransientError) || signal?.aborted === true) {
        this.#step({ kind: 'probe-dropped', nowMs: clock.nowMs() });
        throw error;
      }
      this.#note(error);
      this.#step({ kind: 'probe-failed', nowMs: clock.nowMs(), drawn: Math.random() });
      if (this.#circuit.kind === 'open' && this.#circuit.failedProbes === 1) this.#outages++;
    }
  }

  #note({ message, retryAfterMs }: TransientError): void {
    this.#lastFailure = message;
    if (retryAfterMs === undefined) return;
    const until = this.#options.clock.nowMs() + Math.min(retryAfterMs, LONGEST_ABSENCE_MS);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, until);
  }

  #step(event: CircuitEvent): void {
    this.#circuit = nextCircuit(this.#circuit, event, this.#options.circuit);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function comeBackLater(retryAfterMs: number): UnavailableError {
  return new UnavailableError(`the shop asked to come back in ${Math.ceil(retryAfterMs / 1000)} s`, {
    retryAfterMs,
  });
}

function awayForLong(ms: number, lastFailure: string): UnavailableError {
  return new UnavailableError(
    `the shop has not answered for ${duration(ms)} (last: ${lastFailure}); what is written stays, and the next run goes ` +
      'on where this one ended',
  );
}

function duration(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
