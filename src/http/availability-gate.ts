/**
 * What every request of a shop passes before each of its attempts: a circuit breaker, and pauses.
 *
 *            +--------------------------------------------------+
 *            |  closed: passes, unless a requested pause holds  | <----------------+
 *            +--------------------------------------------------+                  |
 *               | failures in a row,                                               | answered, if only by a refusal
 *               | or a record was refused: so may be the login                     |
 *               v                                                                  |
 *            +------+   when due, by one of those who wait: a probe         +-----------+
 *            | open | ----------------------------------------------------> | half-open |
 *            +------+ <---------------------------------------------------- +-----------+
 *               |       aborted; failed, and the pause before the next one doubles |
 *               v                                                                  v
 *      UnavailableError after maxOutageMs        TerminalError for all that wait, where the probe was refused
 *
 * Retry-After, be it a request's or a probe's, begins a pause for all; of several the latest end holds, and one beyond
 * maxRetryAfterMs is not waited for (UnavailableError).
 */
import { isRefusal, MAX_PAUSE_MS, TerminalError, TransientError, UnavailableError } from '../model/errors.ts';
import { type Clock, unlessAborted } from './clock.ts';
import type { HttpNumbers, RetryPolicy } from './http-options.ts';
import { pauseText } from './request.ts';

export type AvailabilityGateOptions = Pick<HttpNumbers, 'maxOutageMs' | 'circuit'> &
  Pick<RetryPolicy, 'maxRetryAfterMs'> & {
    readonly clock: Clock;
    /** Asks the shop for something small. @throws what that failed with; the signal's reason */
    readonly probe: (signal: AbortSignal | undefined) => Promise<unknown>;
  };

/** What an attempt says about the shop as a whole: a failure, or that it is there. */
export type Verdict = TransientError | 'working' | 'refusing' | 'unknown';

/** The shop may be down, or refuse the login. Nothing is sent but one probe at a time, the first one at once. */
type Outage = {
  readonly sinceMs: number;
  readonly probeAtMs: number;
  readonly failedProbes: number;
};

/** A probe that was served vouches for the login in as many refusals. */
const TRUSTED_REFUSALS = 25;

export class AvailabilityGate {
  readonly #options: AvailabilityGateOptions;
  /** When the requested pause ends, in milliseconds of the clock. */
  #pausedUntilMs = 0;
  /** Undefined while the circuit is closed. */
  #outage: Outage | undefined;
  /** The probe in flight; it ends with what the shop refuses everything with, if it does. */
  #probing: Promise<TerminalError | undefined> | undefined;
  /** Failures since the last success. */
  #streak = 0;
  /** A request succeeded before: a shop that never answered is not down, but misconfigured. */
  #hasSucceeded = false;
  /** Refusals of single records that need no probe, since one was served not long ago. */
  #trusted = 0;
  #lastFailure: TransientError | undefined;
  /** How often a probe failed: what began before, and fails, says nothing of the time after it. */
  outages = 0;
  /** Responses so far that show that the shop is there, whatever they say. */
  answers = 0;
  /** Whether a request failed because of the shop as a whole, and nothing has been answered since, nor a pause requested. */
  isFailing = false;

  constructor(options: AvailabilityGateOptions) {
    this.#options = options;
  }

  /** Half-open while a probe is in flight. */
  get circuit(): 'closed' | 'open' | 'half-open' {
    if (this.#outage === undefined) return 'closed';
    return this.#probing === undefined ? 'open' : 'half-open';
  }

  /** Until when the shop requested a pause, in milliseconds of the clock; undefined where that is over. */
  get pausedUntilMs(): number | undefined {
    return this.#pausedUntilMs > this.#options.clock.nowMs() ? this.#pausedUntilMs : undefined;
  }

  get isShut(): boolean {
    return this.#outage !== undefined || this.pausedUntilMs !== undefined;
  }

  /**
   * Waits until requests may be sent. During an outage, one of those who wait sends the probe.
   *
   * @throws UnavailableError when that takes too long; TerminalError where the probe shows that the shop refuses everything;
   *   the signal's reason
   */
  async pass(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    while (this.isShut) {
      await this.#wait(signal);
      signal?.throwIfAborted();
    }
  }

  /** @param outages their number when the attempt was begun */
  record(verdict: Verdict, outages: number): void {
    const isFailure = verdict instanceof TransientError;
    if (isFailure) this.#noteFailure(verdict);
    else this.#noteAnswer();
    if (this.#outage !== undefined) return;
    if (verdict === 'working') {
      this.#streak = 0;
      this.#hasSucceeded = true;
    } else if (isFailure && outages === this.outages) {
      this.#streak++;
      if (this.#hasSucceeded && this.#streak >= this.#options.circuit.failures) this.#open();
    } else if (verdict === 'refusing') {
      // A login that was revoked must not be tried again by everything in the queue.
      if (this.#trusted === 0) this.#open();
      else this.#trusted--;
    }
  }

  #open(): void {
    const nowMs = this.#options.clock.nowMs();
    this.#outage = { sinceMs: nowMs, probeAtMs: nowMs, failedProbes: 0 };
  }

  #noteAnswer(): void {
    this.answers++;
    this.isFailing = false;
  }

  #noteFailure(error: TransientError): void {
    const { retryAfterMs } = error;
    this.isFailing = retryAfterMs === undefined;
    this.#lastFailure = error;
    if (retryAfterMs === undefined) return;
    const untilMs = this.#options.clock.nowMs() + Math.min(retryAfterMs, MAX_PAUSE_MS);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  /** One step of the wait: what comes after it is decided again. */
  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { clock, maxOutageMs, maxRetryAfterMs } = this.#options;
    const nowMs = clock.nowMs();
    const retryAfterMs = this.#pausedUntilMs - nowMs;
    if (retryAfterMs > maxRetryAfterMs)
      throw new UnavailableError(`the shop requested a pause of ${pauseText(retryAfterMs)}`, {
        retryAfterMs,
      });
    if (retryAfterMs > 0) return clock.sleep(retryAfterMs, signal);
    const outage = this.#outage;
    if (outage === undefined) return;
    if (this.#probing === undefined && nowMs < outage.probeAtMs) {
      const giveUpAtMs = outage.sinceMs + maxOutageMs;
      if (nowMs >= giveUpAtMs) throw unavailable(nowMs - outage.sinceMs, this.#lastFailure);
      return clock.sleep(Math.min(outage.probeAtMs, giveUpAtMs) - nowMs, signal);
    }
    this.#probing ??= this.#probe(outage, signal);
    const refusal = await unlessAborted(this.#probing, signal);
    if (refusal !== undefined) throw refusal;
  }

  /** @returns what the shop refuses everything with; undefined where it does not, or where that is not known */
  async #probe(outage: Outage, signal: AbortSignal | undefined): Promise<TerminalError | undefined> {
    try {
      await this.#options.probe(signal);
      this.#close(TRUSTED_REFUSALS);
      return undefined;
    } catch (error) {
      // Of a probe that was aborted nothing is known.
      if (signal?.aborted === true) return undefined;
      if (error instanceof TransientError) {
        this.#noteFailure(error);
        this.outages++;
        this.#outage = this.#afterProbe(outage);
        return undefined;
      }
      if (!(error instanceof TerminalError)) throw error;
      this.#close(0);
      const { message, cause, status } = error;
      return isRefusal(error) ? new TerminalError(message, { cause, status, scope: 'shop' }) : undefined;
    } finally {
      this.#probing = undefined;
    }
  }

  #close(trustedRefusals: number): void {
    this.#outage = undefined;
    this.#streak = 0;
    this.#trusted = trustedRefusals;
    this.#noteAnswer();
  }

  /** When the next probe is due. Half of the pause is random, so that clients do not probe in step. */
  #afterProbe(outage: Outage): Outage {
    const { clock, circuit } = this.#options;
    const longestMs = Math.min(circuit.maxProbeMs, circuit.firstProbeMs * 2 ** outage.failedProbes);
    const probeAtMs = clock.nowMs() + (longestMs * (1 + Math.random())) / 2;
    return { ...outage, failedProbes: outage.failedProbes + 1, probeAtMs };
  }
}

function unavailable(ms: number, last: Error | undefined): UnavailableError {
  const duration = ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
  return new UnavailableError(`the shop has not answered for ${duration} (last: ${last?.message})`);
}
