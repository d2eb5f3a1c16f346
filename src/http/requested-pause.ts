import { MAX_PAUSE_MS, UnavailableError } from '../errors.ts';

/** The pause that the shop requested by Retry-After. Times are in milliseconds of the client's clock. */
export class RequestedPause {
  readonly #maxWaitMs: number;
  #untilMs = 0;
  /** As requested, which may be longer than is respected. */
  #requestedUntilMs = 0;

  /** @param maxWaitMs a longer pause is not waited for */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** When the pause ends; undefined where it is over. */
  untilMs(nowMs: number): number | undefined {
    return this.#untilMs > nowMs ? this.#untilMs : undefined;
  }

  request(retryAfterMs: number, nowMs: number): void {
    this.#requestedUntilMs = Math.max(this.#requestedUntilMs, nowMs + retryAfterMs);
    this.#untilMs = Math.max(this.#untilMs, nowMs + Math.min(retryAfterMs, MAX_PAUSE_MS));
  }

  /** How long to wait for its end; 0 where it is over. @throws UnavailableError where that is too long */
  waitMs(nowMs: number): number {
    const leftMs = this.#untilMs - nowMs;
    if (leftMs <= this.#maxWaitMs) return Math.max(0, leftMs);
    const requestedMs = this.#requestedUntilMs - nowMs;
    throw new UnavailableError(`the shop requested a pause of ${Math.ceil(requestedMs / 1000)} s`, {
      retryAfterMs: leftMs,
    });
  }
}
