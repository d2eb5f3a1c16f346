import { TerminalError, TransientError, UnavailableError } from '../errors.ts';
import type { AvailabilityGate } from './availability-gate.ts';
import type { Clock } from './clock.ts';
import { SHUT } from './concurrency-limiter.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { HttpRequest, ReadResponse, RoutePolicies } from './request.ts';
import type { AttemptOutcome } from './retry.ts';

export type AttemptPorts<Route extends string> = {
  readonly clock: Clock;
  readonly gate: AvailabilityGate;
  readonly rateLimiter: RateLimiter;
  readonly routes: RoutePolicies<Route>;
  /** Sends a request and reads its response. */
  readonly sendOnce: <Value>(request: HttpRequest<Route, Value>) => Promise<ReadResponse<Value>>;
  readonly maxRetryAfterMs: number;
};

/**
 * Makes one attempt at a request: waits for the gate, then for a slot, and tells gate and rate limiter how it ended. A
 * slot is never held while the gate is shut.
 */
export function createAttempt<Route extends string>(
  ports: AttemptPorts<Route>,
): <Value>(request: HttpRequest<Route, Value>) => Promise<AttemptOutcome<Value>> {
  const { gate, rateLimiter } = ports;
  return async (request) => {
    const { refusals } = gate;
    for (;;) {
      await gate.pass(request.signal);
      gate.assertNotRefused(refusals);
      const run = (number: number) => sendAndReport(ports, request, number);
      const isShut = () => gate.isShut || gate.refusals > refusals;
      const outcome = await rateLimiter.run(run, request.signal, isShut);
      if (outcome === SHUT) continue;
      // That one record was refused is reported once it is known that not everything is.
      await gate.refusalChecked(request.signal);
      gate.assertNotRefused(refusals);
      return outcome;
    }
  };
}

/** @param number of the request, which distinguishes new failures from known ones */
async function sendAndReport<Route extends string, Value>(
  { clock, gate, rateLimiter, routes, sendOnce, maxRetryAfterMs }: AttemptPorts<Route>,
  request: HttpRequest<Route, Value>,
  number: number,
): Promise<AttemptOutcome<Value>> {
  const startedMs = clock.nowMs();
  const { outages } = gate;
  try {
    const { value, shop } = await sendOnce(request);
    gate.recordAnswer();
    if (shop === 'refusing') gate.recordRefused();
    if (shop === 'working') {
      rateLimiter.recordSuccess();
      gate.recordSuccess();
    }
    return { value };
  } catch (error) {
    const isStopped = request.signal?.aborted === true;
    const isOfShop = error instanceof TransientError && error.scope === 'shop';
    if (!isStopped && !isOfShop) gate.recordAnswer();
    if (routes[request.route].refusalScope === 'record' && isRefused(error)) gate.recordRefused();
    if (!isStopped && isOfShop) {
      rateLimiter.recordFailure(number);
      gate.recordFailure(number, error);
    }
    return { error: unavailableIfLong(error, maxRetryAfterMs), tookMs: clock.nowMs() - startedMs, outages };
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof TerminalError && (error.status === 401 || error.status === 403);
}

/** A pause that is too long to be waited for concerns every request of the shop. */
function unavailableIfLong(error: unknown, maxRetryAfterMs: number): unknown {
  const isTooLong = error instanceof TransientError && (error.retryAfterMs ?? 0) > maxRetryAfterMs;
  return isTooLong ? new UnavailableError(error.message, error) : error;
}
