import { TransientError } from '../errors.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { HttpRequest, ReadResponse } from './request.ts';

export type ProbeOptions<Route extends string> = {
  /** Small requests of which a shop that works answers at least one, in the order in which they are tried. */
  readonly requests: () => readonly HttpRequest<Route, unknown>[];
  /** Sends a request and reads its response. */
  readonly sendOnce: (request: HttpRequest<Route, unknown>) => Promise<ReadResponse<unknown>>;
  readonly rateLimiter: Pick<RateLimiter, 'recordFailure'>;
  /** Called before each probe. */
  readonly onProbe: () => void;
};

/** @param number of the request */
export type Probe = (number: number, signal: AbortSignal | undefined) => Promise<ReadResponse<unknown>>;

/**
 * Finds out whether the shop answers at all. A shop that worked until now need not answer every kind of request: the one
 * that was answered is tried first from then on.
 */
export function createProbe<Route extends string>(options: ProbeOptions<Route>): Probe {
  const { requests, sendOnce, rateLimiter, onProbe } = options;
  let isAway = false;
  let answeredIndex = 0;
  const tryInTurn = async (signal: AbortSignal | undefined, tried = 1): Promise<ReadResponse<unknown>> => {
    const candidates = requests();
    const request = candidates[answeredIndex] ?? candidates[0];
    if (request === undefined) throw new TypeError('there is nothing to probe the shop with');
    try {
      return await sendOnce({ ...request, signal });
    } catch (error) {
      const isLast = isAway || tried >= candidates.length;
      if (isLast || !isFailure(error, signal) || error.retryAfterMs !== undefined) throw error;
      answeredIndex = (answeredIndex + 1) % candidates.length;
      return await tryInTurn(signal, tried + 1);
    }
  };
  return async (number, signal) => {
    onProbe();
    try {
      const response = await tryInTurn(signal);
      isAway = false;
      return response;
    } catch (error) {
      if (isFailure(error, signal)) {
        // While the shop is away each probe asks once, and the next one asks for something else.
        answeredIndex = (answeredIndex + 1) % requests().length;
        isAway = true;
        // The longer the outage, the more slowly requests begin again.
        rateLimiter.recordFailure(number);
      }
      throw error;
    }
  };
}

function isFailure(error: unknown, signal: AbortSignal | undefined): error is TransientError {
  return error instanceof TransientError && signal?.aborted !== true;
}
