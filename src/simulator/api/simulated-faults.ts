/** Faults for the next requests. */
import type { RouteName } from './request-log.ts';

export const FAULT_NAMES = [
  'http-500',
  'http-502',
  'http-503-html',
  'http-429',
  'http-401',
  'html-200',
  'message-200',
  'empty-200',
  'empty-array',
  'truncated-list',
  'truncated-json',
  'reset',
  'reset-body',
  'stall-body',
  'slow',
  'hang',
] as const;

/**
 * - `http-...`: that status, with a JSON message or, where named so, HTML
 * - `html-200`, `message-200`, `empty-200`, `empty-array`: status 200 with a page, `{"message": ...}`, no body, `[]`
 * - `truncated-list`: a list with half of its rows and no sign of it; applies to list requests only
 * - `truncated-json`: status 200, and the JSON ends in the middle
 * - `reset`: the connection breaks before an answer; `reset-body`: in the middle of it
 * - `stall-body`: half of the answer, then nothing; `hang`: no answer at all
 * - `slow`: the right answer, delayed
 */
export type FaultName = (typeof FAULT_NAMES)[number];

export type FaultOptions = {
  /** @default any route */
  readonly route?: RouteName | undefined;
  /** The header `Retry-After` of an `http-429` or `http-503-html`: seconds or an HTTP date. @default none */
  readonly retryAfter?: number | string | undefined;
  /** Delay of a `slow` answer. @default 1000 */
  readonly delayMs?: number | undefined;
};

export type Fault = FaultOptions & { readonly name: FaultName };

export class Faults {
  #planned: { fault: Fault; left: number }[] = [];

  /** Fails the next `count` requests (of one route, where given); earlier plans come first. */
  failNext(count: number, name: FaultName, options: FaultOptions = {}): void {
    const unused = this.#planned.filter(({ left }) => left > 0);
    this.#planned = [...unused, { fault: { ...options, name }, left: count }];
  }

  clear(): void {
    this.#planned = [];
  }

  /** Planned faults that no request has had yet. */
  pending(): number {
    return this.#planned.reduce((sum, { left }) => sum + left, 0);
  }

  /** Takes the fault of a request of this route off the plan. */
  take(route: RouteName): Fault | undefined {
    const plan = this.#planned.find(({ fault, left }) => left > 0 && appliesTo(fault, route));
    if (plan === undefined) return undefined;
    plan.left -= 1;
    return plan.fault;
  }
}

function appliesTo(fault: Fault, route: RouteName): boolean {
  if (fault.name === 'truncated-list' && route !== 'orders' && route !== 'groups') return false;
  return fault.route === undefined || fault.route === route;
}
