/**
 * What every request of a shop passes before each of its attempts.
 *
 *                       +-------------------------------------------------+
 *     a record          | closed: passes, unless a requested pause holds  |         failures
 *     is refused  +-----+-------------------------------------------------+-----+   in a row
 *                 v        ^               ^                         ^          v
 *            +---------+   | a list is     | so is the list: what    |       +------+
 *            | suspect |   | served, or    | began before ends       |       | open | ---> after maxOutageMs
 *            +---------+   | fails itself  | (TerminalError)         |       +------+      UnavailableError
 *         probe |   ^      |               |               answered, |  probe |   ^
 *               v   | aborted              |             if only by a|  (due) v   | failed, aborted
 *            +----------+  |               |                refusal  |     +-----------+
 *            | checking | -+---------------+                         +---- | half-open |
 *            +----------+                                                  +-----------+
 *
 * One of those who wait sends the probe. Retry-After, be it a request's or a probe's, begins a pause for all; of several the
 * latest end holds, and one beyond maxRetryAfterMs is not waited for (UnavailableError).
 */
import { MAX_PAUSE_MS, TerminalError, TransientError, UnavailableError } from '../errors.ts';
import { type Clock, unlessAborted } from './clock.ts';
import type { CircuitPolicy } from './http-options.ts';
import type { Pace } from './pace.ts';
import type { Probe } from './probe.ts';
import { isRefusal } from './request.ts';

export type AvailabilityGateOptions = {
  readonly clock: Clock;
  readonly circuit: CircuitPolicy;
  /** A requested pause is waited for up to this. */
  readonly maxRetryAfterMs: number;
  /** A shop that does not answer is waited for up to this. */
  readonly maxOutageMs: number;
  readonly probe: Pick<Probe, 'send'>;
  readonly pace: Pick<Pace, 'lastStarted'>;
};

/** What an attempt says about the shop as a whole: a failure, or that it is there. */
export type Verdict = TransientError | 'working' | 'refusing' | 'unknown';

export class AvailabilityGate {
  readonly #options: AvailabilityGateOptions;
  /** When the requested pause ends, in milliseconds of the clock. */
  #pausedUntilMs = 0;
  /** As requested, which may be longer than is respected. */
  #requestedUntilMs = 0;
  #circuit: Circuit = NEW_CIRCUIT;
  #changed = Promise.withResolvers<void>();
  /** Outages so far that a probe confirmed. */
  outages = 0;
  /** Responses so far that show that the shop is there, whatever they say. */
  answers = 0;
  /** Whether a request failed because of the shop as a whole, and nothing has been answered since, nor a pause requested. */
  isFailing = false;
  /** How often the shop was found to refuse everything; requests that began before that are no longer sent. */
  refusals = 0;
  #lastFailure: TransientError | undefined;
  #lastRefusal: TerminalError | undefined;

  constructor(options: AvailabilityGateOptions) {
    this.#options = options;
  }

  /** Open while the shop is taken to be down; half-open while a probe is in flight. */
  get circuit(): 'closed' | 'open' | 'half-open' {
    const { kind } = this.#circuit;
    return kind === 'suspect' || kind === 'checking' ? 'closed' : kind;
  }

  /** Until when the shop requested a pause, in milliseconds of the clock; undefined where that is over. */
  get pausedUntilMs(): number | undefined {
    return this.#pausedUntilMs > this.#options.clock.nowMs() ? this.#pausedUntilMs : undefined;
  }

  get isShut(): boolean {
    return this.#circuit.kind !== 'closed' || this.pausedUntilMs !== undefined;
  }

  /**
   * Waits until requests may be sent. During an outage, one of those who wait sends the probe.
   *
   * @param refusals their count when the request was begun
   * @throws UnavailableError when that takes too long; TerminalError where the shop was found to refuse everything since
   *   the request was begun; the signal's reason
   */
  async pass(signal: AbortSignal | undefined, refusals = this.refusals): Promise<void> {
    signal?.throwIfAborted();
    while (this.isShut) {
      await this.#wait(signal);
      signal?.throwIfAborted();
    }
    this.#assertNotRefused(refusals);
  }

  /**
   * Where a record was refused, waits until it is known whether the shop refuses everything.
   *
   * @throws as `pass` does
   */
  async refusalChecked(signal: AbortSignal | undefined, refusals: number): Promise<void> {
    while (this.#circuit.kind === 'suspect' || this.#circuit.kind === 'checking') await this.#wait(signal);
    this.#assertNotRefused(refusals);
  }

  /** @param number of the request */
  record(number: number, verdict: Verdict): void {
    if (verdict instanceof TransientError) {
      this.#note(verdict);
      return this.#step({ kind: 'failed', number, nowMs: this.#options.clock.nowMs() });
    }
    this.#recordAnswer();
    if (verdict === 'working') this.#step({ kind: 'succeeded' });
    // A login that was revoked must not be tried again by everything in the queue.
    if (verdict === 'refusing') this.#step({ kind: 'refused' });
  }

  #recordAnswer(): void {
    this.answers++;
    this.isFailing = false;
  }

  /** One step of the wait: what comes after it is decided again. */
  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { clock, maxOutageMs } = this.#options;
    const nowMs = clock.nowMs();
    const pauseMs = this.#pauseLeftMs(nowMs);
    if (pauseMs > 0) return clock.sleep(pauseMs, signal);
    const circuit = this.#circuit;
    if (circuit.kind === 'closed') return;
    if (circuit.kind === 'suspect') return this.#probe(signal);
    if (circuit.kind !== 'open') return unlessAborted(this.#changed.promise, signal);
    if (nowMs >= circuit.probeAtMs) return this.#probe(signal);
    const giveUpAtMs = circuit.sinceMs + maxOutageMs;
    if (nowMs >= giveUpAtMs) throw unavailable(nowMs - circuit.sinceMs, this.#lastFailure);
    return clock.sleep(Math.min(circuit.probeAtMs, giveUpAtMs) - nowMs, signal);
  }

  async #probe(signal: AbortSignal | undefined): Promise<void> {
    const { clock, pace, probe } = this.#options;
    const isOfLogin = this.#circuit.kind === 'suspect';
    this.#step({ kind: 'probe-started', nowMs: clock.nowMs() });
    const succeed = () => {
      this.#recordAnswer();
      this.#step({ kind: 'probe-succeeded', lastStarted: pace.lastStarted });
    };
    try {
      await probe.send(signal);
      return succeed();
    } catch (error) {
      const isKnown = error instanceof TransientError || error instanceof TerminalError;
      if (!isKnown || signal?.aborted === true) {
        this.#step({ kind: 'probe-aborted', nowMs: clock.nowMs() });
        throw error;
      }
      if (error instanceof TransientError) this.#note(error);
      // A refusal shows that the shop is there: those who wait will be refused themselves.
      else if (!isOfLogin) return succeed();
      else if (isRefusal(error.status)) this.#recordRefusal(error);
    }
    this.#step({ kind: 'probe-failed', nowMs: clock.nowMs(), jitter: Math.random() });
    if (this.#circuit.kind === 'open' && this.#circuit.failedProbes === 1) this.outages++;
  }

  #recordRefusal({ message, cause, status }: TerminalError): void {
    this.#lastRefusal = new TerminalError(message, { cause, status, scope: 'shop' });
    this.refusals++;
  }

  #assertNotRefused(before: number): void {
    if (this.#lastRefusal !== undefined && this.refusals > before) throw this.#lastRefusal;
  }

  #note(error: TransientError): void {
    const { retryAfterMs } = error;
    this.isFailing = retryAfterMs === undefined;
    this.#lastFailure = error;
    if (retryAfterMs === undefined) return;
    const nowMs = this.#options.clock.nowMs();
    this.#requestedUntilMs = Math.max(this.#requestedUntilMs, nowMs + retryAfterMs);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + Math.min(retryAfterMs, MAX_PAUSE_MS));
  }

  /** @returns 0 where the requested pause is over @throws UnavailableError where it is too long to be waited for */
  #pauseLeftMs(nowMs: number): number {
    const leftMs = this.#pausedUntilMs - nowMs;
    if (leftMs <= this.#options.maxRetryAfterMs) return Math.max(0, leftMs);
    const requestedMs = this.#requestedUntilMs - nowMs;
    throw new UnavailableError(`the shop requested a pause of ${Math.ceil(requestedMs / 1000)} s`, {
      retryAfterMs: leftMs,
    });
  }

  /** Everybody who waits for a change looks again. */
  #step(event: CircuitEvent): void {
    const next = nextCircuit(this.#circuit, event, this.#options.circuit);
    if (next === this.#circuit) return;
    this.#circuit = next;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function unavailable(ms: number, last: Error | undefined): UnavailableError {
  const duration = ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
  return new UnavailableError(
    `the shop has not answered for ${duration} (last: ${last?.message}); what was written is kept, and the next run ` +
      'resumes where this one ended',
  );
}

/**
 * Whether the shop is taken to be up, and the login to be accepted. While that is in doubt nothing is sent but one probe
 * at a time. The first one is sent at once: it distinguishes a shop that is down from a record that cannot be fetched,
 * and a login that is refused from a record that is.
 */
export type Circuit = Closed | Outage | Suspect;

type Outage = {
  readonly kind: 'open' | 'half-open';
  readonly probeAtMs: number;
  readonly sinceMs: number;
  readonly failedProbes: number;
};
/** One record was refused; `before` is what the circuit returns to. */
type Suspect = { readonly kind: 'suspect' | 'checking'; readonly before: Closed };
type Closed = {
  readonly kind: 'closed';
  /** Failures since the last success. */
  readonly streak: number;
  /** A request succeeded before: a shop that never answered is not down, but misconfigured. */
  readonly hasSucceeded: boolean;
  /** Requests up to this number belong to an outage that is over. */
  readonly settledAfter: number;
  /** Refusals of single records that need no probe, since a list was served not long ago. */
  readonly trusted: number;
};

/** A list that was served after a refusal vouches for the login in as many further refusals. */
const TRUSTED_REFUSALS = 25;

/** Requests are numbered from 1 as they are started. */
export type CircuitEvent =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly number: number; readonly nowMs: number }
  /** A record was refused, and perhaps everything is. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'probe-started' | 'probe-aborted'; readonly nowMs: number }
  /** @param lastStarted number of the request started last */
  | { readonly kind: 'probe-succeeded'; readonly lastStarted: number }
  /** @param jitter from 0 up to 1, so that clients do not probe in step */
  | { readonly kind: 'probe-failed'; readonly nowMs: number; readonly jitter: number };

export const NEW_CIRCUIT: Closed = {
  kind: 'closed',
  streak: 0,
  hasSucceeded: false,
  settledAfter: 0,
  trusted: 0,
};

/** The state after an event; an event that does not concern the state leaves it as it is. Pure. */
export function nextCircuit(circuit: Circuit, event: CircuitEvent, policy: CircuitPolicy): Circuit {
  switch (circuit.kind) {
    case 'closed':
      return stepClosed(circuit, event, policy);
    case 'open': {
      const isDue = event.kind === 'probe-started' && event.nowMs >= circuit.probeAtMs;
      return isDue ? { ...circuit, kind: 'half-open' } : circuit;
    }
    case 'half-open':
      return stepHalfOpen(circuit, event, policy);
    case 'suspect':
      return event.kind === 'probe-started' ? { ...circuit, kind: 'checking' } : circuit;
    default:
      if (event.kind === 'probe-aborted') return { ...circuit, kind: 'suspect' };
      if (event.kind === 'probe-failed') return circuit.before;
      return event.kind === 'probe-succeeded' ? { ...circuit.before, trusted: TRUSTED_REFUSALS } : circuit;
  }
}

function stepClosed(circuit: Closed, event: CircuitEvent, policy: CircuitPolicy): Circuit {
  if (event.kind === 'succeeded') {
    const isSame = circuit.streak === 0 && circuit.hasSucceeded;
    return isSame ? circuit : { ...circuit, streak: 0, hasSucceeded: true };
  }
  if (event.kind === 'refused') {
    if (circuit.trusted === 0) return { kind: 'suspect', before: circuit };
    return { ...circuit, trusted: circuit.trusted - 1 };
  }
  if (event.kind !== 'failed' || event.number <= circuit.settledAfter) return circuit;
  const streak = circuit.streak + 1;
  if (!circuit.hasSucceeded || streak < policy.failures) return { ...circuit, streak };
  return { kind: 'open', sinceMs: event.nowMs, failedProbes: 0, probeAtMs: event.nowMs };
}

function stepHalfOpen(circuit: Outage, event: CircuitEvent, policy: CircuitPolicy): Circuit {
  switch (event.kind) {
    case 'probe-succeeded':
      return { ...NEW_CIRCUIT, hasSucceeded: true, settledAfter: event.lastStarted };
    case 'probe-aborted':
      return { ...circuit, kind: 'open', probeAtMs: event.nowMs };
    case 'probe-failed': {
      const longest = Math.min(policy.maxProbeMs, policy.firstProbeMs * 2 ** circuit.failedProbes);
      const probeAtMs = event.nowMs + longest / 2 + (event.jitter * longest) / 2;
      return { ...circuit, kind: 'open', failedProbes: circuit.failedProbes + 1, probeAtMs };
    }
    default:
      return circuit;
  }
}
