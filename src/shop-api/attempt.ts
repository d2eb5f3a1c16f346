import { TransientError, UnavailableError } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { Gate } from './gate.ts';
import { SHUT } from './limiter.ts';
import type { ApiRequest, ReadAnswer } from './request.ts';
import type { Try } from './retry.ts';
import type { Throttle } from './throttle.ts';

export type AttemptPorts = {
  readonly clock: Clock;
  readonly gate: Gate;
  readonly throttle: Throttle;
  /** Sends a request and reads its answer. */
  readonly once: <Answer>(request: ApiRequest<Answer>) => Promise<ReadAnswer<Answer>>;
  readonly maxRetryAfterMs: number;
};

/**
 * Makes one try of a request: waits for the gate, then for a slot, and tells gate and throttle how it ended. A slot is
 * never held while the gate is shut.
 */
export function createAttempt(
  ports: AttemptPorts,
): <Answer>(request: ApiRequest<Answer>) => Promise<Try<Answer>> {
  const { gate, throttle } = ports;
  return async (request) => {
    for (;;) {
      await gate.pass(request.signal);
      const run = (number: number) => observed(ports, request, number);
      const outcome = await throttle.run(run, request.signal, () => gate.isShut);
      if (outcome !== SHUT) return outcome;
    }
  };
}

/** @param number of the request, by which failures that are known already are told from new ones */
async function observed<Answer>(
  { clock, gate, throttle, once, maxRetryAfterMs }: AttemptPorts,
  request: ApiRequest<Answer>,
  number: number,
): Promise<Try<Answer>> {
  const beganMs = clock.nowMs();
  const { outages } = gate;
  try {
    const { value, isHealthy } = await once(request);
    if (isHealthy) {
      throttle.answered();
      gate.answered();
    }
    return { value };
  } catch (error) {
    const isStopped = request.signal?.aborted === true;
    if (!isStopped && error instanceof TransientError && error.scope === 'shop') {
      throttle.failed(number);
      gate.failed(number, error);
    }
    return { error: beyond(error, maxRetryAfterMs), tookMs: clock.nowMs() - beganMs, outages };
  }
}

/** A pause that is longer than can be waited for concerns every request of the shop. */
function beyond(error: unknown, maxRetryAfterMs: number): unknown {
  const isBeyond = error instanceof TransientError && (error.retryAfterMs ?? 0) > maxRetryAfterMs;
  return isBeyond ? new UnavailableError(error.message, error) : error;
}
