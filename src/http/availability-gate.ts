/**
 * What every request of a shop passes before each of its attempts.
 *
 *            +--------------------------------------------------+
 *            |  closed: passes, unless a requested pause holds  | <-----------------------+
 *            +--------------------------------------------------+                         |
 *               | failures in a row,                                                      | answered, if only by a refusal;
 *               | or a record was refused, and so may be the login                        | of a login, whatever came of it
 *               v                                                                         |
 *            +------+   when due, by one of those who wait: a probe                +-----------+
 *            | open | -----------------------------------------------------------> | half-open |
 *            +------+ <----------------------------------------------------------- +-----------+
 *               |       aborted; failed, and the pause before the next one doubles        |
 *               v                                                                         v
 *      UnavailableError after maxOutageMs          TerminalError for what began before a list was refused as well
 *
 * Retry-After, be it a request's or a probe's, begins a pause for all; of several the latest end holds, and one beyond
 * maxRetryAfterMs is not waited for (UnavailableError).
 */
import { MAX_PAUSE_MS, TerminalError, TransientError, UnavailableError } from '../model/errors.ts';
import { type Clock, unlessAborted } from './clock.ts';
import type { HttpNumbers, RetryPolicy } from './http-options.ts';
import { isRefusal, pauseText } from './request.ts';

export type AvailabilityGateOptions = Pick<HttpNumbers, 'maxOutageMs' | 'circuit'> &
  Pick<RetryPolicy, 'maxRetryAfterMs'> & {
    readonly clock: Clock;
    /** Asks the shop for something small. @throws what that failed with; the signal's reason */
    readonly probe: (signal: AbortSignal | undefined) => Promise<unknown>;
  };

/** What an attempt says about the shop as a whole: a failure, or that it is there. */
export type Verdict = TransientError | 'working' | 'refusing' | 'unknown';

/** The shop may be down, or refuse the login. Nothing is sent but one probe at a time, the first one at once. */
type Doubt = {
  readonly of: 'shop' | 'login';
  readonly sinceMs: number;
  readonly isProbing: boolean;
  readonly probeAtMs: number;
  readonly failedProbes: number;
};

/** A list that was served after a refusal vouches for the login in as many further refusals. */
const TRUSTED_REFUSALS = 25;

export class AvailabilityGate {
  readonly #options: AvailabilityGateOptions;
  /** When the requested pause ends, in milliseconds of the clock. */
  #pausedUntilMs = 0;
  /** Undefined while the circuit is closed. */
  #doubt: Doubt | undefined;
  #changed = Promise.withResolvers<void>();
  /** Failures since the last success. */
  #streak = 0;
  /** A request succeeded before: a shop that never answered is not down, but misconfigured. */
  #hasSucceeded = false;
  /** Refusals of single records that need no probe, since a list was served not long ago. */
  #trusted = 0;
  #lastFailure: TransientError | undefined;
  /** How often a probe showed so far that the shop is down: nothing else is sent between two that do. */
  outages = 0;
  /** How often a probe showed so far that the shop is there: what began before, and fails later, is no new outage. */
  settled = 0;
  /** That the shop was found to refuse everything, the last time it was; requests that began before are no longer sent. */
  refusal: TerminalError | undefined;
  /** Responses so far that show that the shop is there, whatever they say. */
  answers = 0;
  /** Whether a request failed because of the shop as a whole, and nothing has been answered since, nor a pause requested. */
  isFailing = false;

  constructor(options: AvailabilityGateOptions) {
    this.#options = options;
  }

  /** Open while the shop is taken to be down; half-open while a probe is in flight. */
  get circuit(): 'closed' | 'open' | 'half-open' {
    if (this.#doubt?.of !== 'shop') return 'closed';
    return this.#doubt.isProbing ? 'half-open' : 'open';
  }

  /** Until when the shop requested a pause, in milliseconds of the clock; undefined where that is over. */
  get pausedUntilMs(): number | undefined {
    return this.#pausedUntilMs > this.#options.clock.nowMs() ? this.#pausedUntilMs : undefined;
  }

  get isShut(): boolean {
    return this.#doubt !== undefined || this.pausedUntilMs !== undefined;
  }

  /**
   * Waits until requests may be sent. During an outage, one of those who wait sends the probe.
   *
   * @param refusal the last one as the request was begun, if there was one
   * @throws UnavailableError when that takes too long; TerminalError where the shop was found to refuse everything since
   *   the request was begun; the signal's reason
   */
  async pass(signal: AbortSignal | undefined, refusal?: TerminalError): Promise<void> {
    signal?.throwIfAborted();
    while (this.isShut) {
      await this.#wait(signal);
      signal?.throwIfAborted();
    }
    if (this.refusal !== refusal) throw this.refusal;
  }

  /**
   * Where a record was refused, waits until it is known whether the shop refuses everything.
   *
   * @throws as `pass` does
   */
  async refusalChecked(signal: AbortSignal | undefined, refusal?: TerminalError): Promise<void> {
    while (this.#doubt?.of === 'login') await this.#wait(signal);
    if (this.refusal !== refusal) throw this.refusal;
  }

  /** @param settled their count when the attempt was begun */
  record(settled: number, verdict: Verdict): void {
    const isFailure = verdict instanceof TransientError;
    if (isFailure) this.#recordFailure(verdict);
    else this.#recordAnswer();
    if (this.#doubt !== undefined) return;
    if (isFailure) {
      // After a pause that is not kept to its end, a probe goes first.
      if ((verdict.retryAfterMs ?? 0) > MAX_PAUSE_MS) return this.#open('shop');
      if (settled < this.settled) return;
      this.#streak++;
      if (this.#hasSucceeded && this.#streak >= this.#options.circuit.failures) this.#open('shop');
    } else if (verdict === 'working') {
      this.#streak = 0;
      this.#hasSucceeded = true;
    } else if (verdict === 'refusing') {
      // A login that was revoked must not be tried again by everything in the queue.
      if (this.#trusted === 0) this.#open('login');
      else this.#trusted--;
    }
  }

  #open(of: Doubt['of']): void {
    const nowMs = this.#options.clock.nowMs();
    this.#doubt = { of, sinceMs: nowMs, isProbing: false, probeAtMs: nowMs, failedProbes: 0 };
  }

  #recordAnswer(): void {
    this.answers++;
    this.isFailing = false;
  }

  #recordFailure(error: TransientError): void {
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
    const doubt = this.#doubt;
    if (doubt === undefined) return;
    if (doubt.isProbing) return unlessAborted(this.#changed.promise, signal);
    if (nowMs >= doubt.probeAtMs) return this.#probe(doubt, signal);
    const giveUpAtMs = doubt.sinceMs + maxOutageMs;
    if (nowMs >= giveUpAtMs) throw unavailable(nowMs - doubt.sinceMs, this.#lastFailure);
    return clock.sleep(Math.min(doubt.probeAtMs, giveUpAtMs) - nowMs, signal);
  }

  async #probe(doubt: Doubt, signal: AbortSignal | undefined): Promise<void> {
    this.#doubt = { ...doubt, isProbing: true };
    try {
      await this.#options.probe(signal);
      this.#settle(doubt);
    } catch (error) {
      const isKnown = error instanceof TransientError || error instanceof TerminalError;
      const isAborted = !isKnown || signal?.aborted === true;
      if (isAborted) {
        this.#doubt = doubt;
        throw error;
      }
      this.#afterFailedProbe(doubt, error);
    } finally {
      // Everybody who waits for a change looks again.
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }

  /** The probe was answered. */
  #settle({ of }: Doubt): void {
    this.#doubt = undefined;
    this.#recordAnswer();
    this.#trusted = of === 'login' ? TRUSTED_REFUSALS : 0;
    if (of === 'login') return;
    this.#streak = 0;
    this.settled++;
  }

  #afterFailedProbe(doubt: Doubt, error: TransientError | TerminalError): void {
    if (error instanceof TransientError) this.#recordFailure(error);
    // A refusal shows that the shop is there: those who wait will be refused themselves.
    else if (doubt.of === 'shop') return this.#settle(doubt);
    else if (isRefusal(error.status)) {
      const { message, cause, status } = error;
      this.refusal = new TerminalError(message, { cause, status, scope: 'shop' });
    }
    this.#doubt = doubt.of === 'login' ? undefined : this.#afterOutage(doubt);
  }

  /** When the next probe is due. Half of the pause is random, so that clients do not probe in step. */
  #afterOutage(doubt: Doubt): Doubt {
    this.outages++;
    const { clock, circuit } = this.#options;
    const longestMs = Math.min(circuit.maxProbeMs, circuit.firstProbeMs * 2 ** doubt.failedProbes);
    const probeAtMs = clock.nowMs() + (longestMs * (1 + Math.random())) / 2;
    return { ...doubt, failedProbes: doubt.failedProbes + 1, probeAtMs };
  }
}

function unavailable(ms: number, last: Error | undefined): UnavailableError {
  const duration = ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
  return new UnavailableError(
    `the shop has not answered for ${duration} (last: ${last?.message}); what was written is kept, and the next run ` +
      'resumes where this one ended',
  );
}
