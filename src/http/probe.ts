import { TransientError } from '../model/errors.ts';
import type { HttpRequest } from './request.ts';

/**
 * Finds out whether the shop answers at all. A shop that worked until now need not answer every kind of request: the one
 * that was answered is sent first from then on, and after a failure the next one.
 *
 * @param requests small ones of which a shop that works answers at least one
 * @param send sends a request once, past the gate
 */
export function createProbe<Route extends string>(
  requests: () => readonly HttpRequest<Route, unknown>[],
  send: (request: HttpRequest<Route, unknown>) => Promise<unknown>,
): (signal: AbortSignal | undefined) => Promise<void> {
  let index = 0;
  return async (signal) => {
    const candidates = requests();
    const request = candidates[index % candidates.length];
    if (request === undefined) throw new TypeError('there is nothing to probe the shop with');
    try {
      await send({ ...request, signal });
    } catch (error) {
      if (error instanceof TransientError && signal?.aborted !== true) index++;
      throw error;
    }
  };
}
