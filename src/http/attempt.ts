import { TerminalError, TransientError, UnavailableError } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { Gate } from './availability-gate.ts';
import { SHUT } from './concurrency-limiter.ts';
import type { ApiRequest, ReadAnswer } from './request.ts';
import type { Try } from './retry.ts';
import type { Throttle } from './rate-limiter.ts';

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
    const { refusals } = gate;
    for (;;) {
      await gate.pass(request.signal);
      gate.assertNotRefused(refusals);
      const run = (number: number) => observed(ports, request, number);
      const isShut = () => gate.isShut || gate.refusals > refusals;
      const outcome = await throttle.run(run, request.signal, isShut);
      if (outcome === SHUT) continue;
      // That one record was refused is told when it is known that not everything is.
      await gate.confirmed(request.signal);
      gate.assertNotRefused(refusals);
      return outcome;
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
    const { value, shop } = await once(request);
    if (shop === 'refusing') gate.recordRefused();
    if (shop === 'well') {
      throttle.answered();
      gate.answered();
    }
    return { value };
  } catch (error) {
    const isStopped = request.signal?.aborted === true;
    if (isRecordRefused(error, request)) gate.recordRefused();
    if (!isStopped && error instanceof TransientError && error.scope === 'shop') {
      throttle.failed(number);
      gate.failed(number, error);
    }
    return { error: beyond(error, maxRetryAfterMs), tookMs: clock.nowMs() - beganMs, outages };
  }
}

function isRecordRefused(error: unknown, { route }: ApiRequest<unknown>): boolean {
  if (route !== 'content' && route !== 'user' && route !== 'groups') return false;
  return error instanceof TerminalError && (error.status === 401 || error.status === 403);
}

/** A pause that is longer than can be waited for concerns every request of the shop. */
function beyond(error: unknown, maxRetryAfterMs: number): unknown {
  const isBeyond = error instanceof TransientError && (error.retryAfterMs ?? 0) > maxRetryAfterMs;
  return isBeyond ? new UnavailableError(error.message, error) : error;
}
