import { LONGEST_ABSENCE_MS, TerminalError, TransientError, UnavailableError } from '../errors.ts';
import {
  type Circuit,
  type CircuitEvent,
  type CircuitPolicy,
  NEW_CIRCUIT,
  nextCircuit,
} from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import { unlessAborted } from './abort.ts';

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

/** A list that was answered after a refusal speaks for as many refusals. */
const TRUSTED_REFUSALS = 25;

/**
 * What every request of a shop passes before each of its tries: shut while the shop asked for a pause, and while its
 * circuit is not closed.
 */
export class Gate {
  readonly #options: GateOptions;
  #circuit: Circuit = NEW_CIRCUIT;
  #changed = Promise.withResolvers<void>();
  #pausedUntilMs = 0;
  /** As the shop wants it, which may be longer than is believed. */
  #requestedUntilMs = 0;
  #outages = 0;
  #lastFailure = '';
  /** A record was refused, and it is not known whether the login is. */
  #isSuspected = false;
  #isConfirming = false;
  /** Refusals of single records that need no proof, since a list was answered not long ago. */
  #trusted = 0;
  /** How often the login was found to be refused for everything, and the last such refusal. */
  #refusals = 0;
  #refusal: TerminalError | undefined;

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
    return this.#isSuspected || this.circuit !== 'closed' || this.pausedUntilMs !== undefined;
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

  /**
   * One record was refused: until a request that concerns no record tells whether all are, nothing else is sent, so that
   * a login that was revoked is not tried again by everything that is queued.
   */
  recordRefused(): void {
    if (this.#trusted-- <= 0) this.#isSuspected = true;
  }

  /** Waits until it is known whether the shop refuses everything, where a record was refused. @throws the signal's reason */
  async confirmed(signal: AbortSignal | undefined): Promise<void> {
    while (this.#isSuspected) await this.#wait(signal);
  }

  /** How often the shop was found to refuse everything; what was begun before that is not to be sent any more. */
  get refusals(): number {
    return this.#refusals;
  }

  /**
   * @param before the count of refusals when the request was begun
   * @throws TerminalError where the shop was found to refuse everything since then
   */
  assertNotRefused(before: number): void {
    if (this.#refusal !== undefined && this.#refusals > before) throw this.#refusal;
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
    if (pauseMs > maxRetryAfterMs) throw comeBackLater(pauseMs, this.#requestedUntilMs - nowMs);
    if (pauseMs > 0) return clock.sleep(pauseMs, signal);
    const circuit = this.#circuit;
    if (circuit.kind === 'closed') {
      if (!this.#isSuspected) return;
      return this.#isConfirming ? unlessAborted(this.#changed.promise, signal) : this.#confirm(signal);
    }
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

  /** Finds out whether the shop refuses one record or everything. */
  async #confirm(signal: AbortSignal | undefined): Promise<void> {
    this.#isConfirming = true;
    try {
      await this.#options.probe(signal);
      this.#trusted = TRUSTED_REFUSALS;
    } catch (error) {
      signal?.throwIfAborted();
      const isRefused = error instanceof TerminalError && (error.status === 401 || error.status === 403);
      if (isRefused) {
        const { status, cause } = error;
        this.#refusal = new TerminalError(error.message, { cause, status, scope: 'shop' });
        this.#refusals++;
      } else if (error instanceof TransientError) this.#note(error);
    } finally {
      this.#isConfirming = false;
      this.#isSuspected = false;
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }

  #note({ message, retryAfterMs }: TransientError): void {
    this.#lastFailure = message;
    if (retryAfterMs === undefined) return;
    const nowMs = this.#options.clock.nowMs();
    this.#requestedUntilMs = Math.max(this.#requestedUntilMs, nowMs + retryAfterMs);
    const until = nowMs + Math.min(retryAfterMs, LONGEST_ABSENCE_MS);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, until);
  }

  #step(event: CircuitEvent): void {
    this.#circuit = nextCircuit(this.#circuit, event, this.#options.circuit);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** @param requestedMs of the shop's pause, as long as it wants it */
function comeBackLater(retryAfterMs: number, requestedMs: number): UnavailableError {
  return new UnavailableError(`the shop asked to come back in ${Math.ceil(requestedMs / 1000)} s`, {
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
