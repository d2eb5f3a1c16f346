import { TerminalError, TransientError } from '../errors.ts';
import type { AvailabilityGate, Verdict } from './availability-gate.ts';
import type { Clock } from './clock.ts';
import type { EndedAttempt, HttpOptions } from './http-options.ts';
import { type Pace, SHUT } from './pace.ts';
import type { HttpRequest } from './request.ts';
import { type Answer, isRefusal, readAnswer } from './response.ts';
import type { Effort } from './retry.ts';
import type { Transport } from './transport.ts';

export type ShopFetchPorts<Route extends string> = Pick<HttpOptions<Route>, 'routes' | 'onAttempt'> & {
  readonly clock: Clock;
  readonly gate: AvailabilityGate;
  readonly pace: Pace;
  readonly transport: Transport;
  readonly counts: Record<Route | 'retries', number>;
};

/** How an attempt ended. `outages` is the gate's count when it began. */
type Ended<Value> = { readonly error: unknown; readonly answer?: Answer<Value>; readonly outages: number };

/**
 * What ky fetches with. Each attempt waits for the gate, then for a slot, and tells gate and pace how it ended before it
 * gives the slot back, so that what comes next knows. A slot is never held while the gate is shut.
 */
export class ShopFetch<Route extends string> {
  readonly #ports: ShopFetchPorts<Route>;

  constructor(ports: ShopFetchPorts<Route>) {
    this.#ports = ports;
  }

  /**
   * Sends a request through gate and pace.
   *
   * @param wire the request as ky made it
   * @throws TransientError, UnavailableError, TerminalError where there is no response that could be read; the signal's
   *   reason
   */
  async send<Value>(
    wire: Request,
    request: HttpRequest<Route, Value>,
    effort: Effort,
  ): Promise<Answer<Value>> {
    const { gate, pace, counts } = this.#ports;
    const { signal, method } = request;
    const { refusals } = gate;
    for (;;) {
      await gate.pass(signal, refusals);
      const attempt = (number: number) => this.#attempt(wire, request, effort, number);
      const ended = await pace.run(attempt, signal, () => gate.isShut || gate.refusals > refusals);
      if (ended === SHUT) continue;
      // That one record was refused is reported once it is known that not everything is.
      await gate.refusalChecked(signal, refusals);
      if (method === 'GET' && isOfShop(ended.error)) {
        // Whoever fails as the shop goes down waits for its return, and what failed because of that is not counted.
        if (gate.circuit !== 'closed') await gate.pass(signal, refusals);
        if (gate.outages > ended.outages && effort.forgive()) {
          counts.retries++;
          continue;
        }
      }
      if (ended.answer === undefined) throw ended.error;
      return ended.answer;
    }
  }

  /** Sends a request once, past the gate; counts it, and reports how it ended. */
  async sendOnce<Value>(wire: Request, request: HttpRequest<Route, Value>): Promise<Answer<Value>> {
    const { transport, routes, counts, onAttempt } = this.#ports;
    const { route, signal } = request;
    counts[route]++;
    const startedMs = performance.now();
    let outcome: EndedAttempt<Route>['outcome'] = 'stopped';
    try {
      const received = await transport.send(wire, routes[route].tooLargeAdvice, signal);
      const answer = readAnswer(request, received);
      const { error } = answer.reading;
      outcome = error === undefined ? 'ok' : classify(error);
      return answer;
    } catch (error) {
      outcome = classify(error);
      throw error;
    } finally {
      onAttempt?.({ route, outcome, tookMs: performance.now() - startedMs });
    }
  }

  /** @param number of the request, which distinguishes new failures from known ones */
  async #attempt<Value>(
    wire: Request,
    request: HttpRequest<Route, Value>,
    effort: Effort,
    number: number,
  ): Promise<Ended<Value>> {
    const { clock, gate, pace, routes } = this.#ports;
    const { outages } = gate;
    const startedMs = clock.nowMs();
    const ended: Ended<Value> = await this.sendOnce(wire, request).then(
      (answer) => ({ answer, error: answer.reading.error, outages }),
      (error: unknown) => ({ error, outages }),
    );
    effort.recordAttempt(clock.nowMs() - startedMs);
    if (request.signal?.aborted === true) return ended;
    const verdict = isOfShop(ended.error) ? ended.error : judge(ended, routes[request.route].refusalScope);
    gate.record(number, verdict);
    if (verdict instanceof TransientError) pace.recordFailure(number);
    if (verdict === 'working') pace.recordSuccess();
    return ended;
  }
}

function judge({ answer, error }: Ended<unknown>, refusalScope: 'shop' | 'record' | 'request'): Verdict {
  if (error === undefined) return answer?.reading.shop ?? 'unknown';
  const isRefused = error instanceof TerminalError && isRefusal(error.status);
  return isRefused && refusalScope === 'record' ? 'refusing' : 'unknown';
}

function isOfShop(error: unknown): error is TransientError {
  return error instanceof TransientError && error.scope === 'shop';
}

function classify(error: unknown): EndedAttempt<string>['outcome'] {
  if (error instanceof TransientError) return 'transient';
  return error instanceof TerminalError ? 'terminal' : 'stopped';
}
