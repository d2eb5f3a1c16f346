import { TransientError } from '../model/errors.ts';
import type { Pace, Started } from './pace.ts';
import type { HttpRequest } from './request.ts';

export type Probe = {
  /** Probes sent so far. */
  readonly count: number;
  /** @throws what the last request failed with; the signal's reason */
  send(signal: AbortSignal | undefined): Promise<unknown>;
};

/**
 * Finds out whether the shop answers at all. A shop that worked until now need not answer every kind of request: the one
 * that was answered is tried first from then on.
 *
 * @param requests small ones of which a shop that works answers at least one, in the order in which they are tried
 * @param send sends a request once, past the gate
 */
export function createProbe<Route extends string>(
  requests: () => readonly HttpRequest<Route, unknown>[],
  pace: Pick<Pace, 'run' | 'record'>,
  send: (request: HttpRequest<Route, unknown>) => Promise<unknown>,
): Probe {
  let count = 0;
  let isAway = false;
  let answeredIndex = 0;
  const probe = async (started: Started, signal: AbortSignal | undefined) => {
    count++;
    const candidates = requests();
    for (let tried = 1; ; tried++) {
      const request = candidates[answeredIndex] ?? candidates[0];
      if (request === undefined) throw new TypeError('there is nothing to probe the shop with');
      try {
        await send({ ...request, signal });
        isAway = false;
        return;
      } catch (error) {
        if (!(error instanceof TransientError) || signal?.aborted === true) throw error;
        answeredIndex = (answeredIndex + 1) % candidates.length;
        // While the shop is away each probe asks once, and the next one asks for something else.
        if (!isAway && tried < candidates.length && error.retryAfterMs === undefined) continue;
        isAway = true;
        // The longer the outage, the more slowly requests begin again.
        pace.record(
          request.route,
          started,
          error.status === 429 || error.status === 503 ? 'refused' : 'failed',
        );
        throw error;
      }
    }
  };
  return {
    get count() {
      return count;
    },
    send: (signal) => pace.run((started) => probe(started, signal), signal),
  };
}
