/** Faults for the next requests, and what they do to an answer. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Next } from 'hono';

import type { RouteName } from './request-log.ts';

export type ApiEnv = {
  Bindings: HttpBindings;
  Variables: {
    /** Set by a fault: lists answer with half of their rows. */
    isListCut: boolean | undefined;
    /** Set by a fault: the JSON ends in the middle. */
    isTextCut: boolean | undefined;
  };
};
export type ApiContext = Context<ApiEnv>;

export const HTML_PAGE = '<!DOCTYPE html><html><head><title>Shop</title></head><body>Shop</body></html>';

type Handler = (c: ApiContext, fault: FaultOptions, next: Next) => Response | Promise<Response | undefined>;

const DEFAULT_DELAY_MS = 1000;

/** What a request with a fault is answered with; a handler without an answer of its own leaves that of `next`. */
const HANDLERS = {
  'http-500': (c) => c.json({ message: 'internal error' }, 500),
  'http-502': (c) => c.json({ message: 'bad gateway' }, 502),
  'http-503-html': (c, fault) => c.html(HTML_PAGE, 503, retryAfter(fault)),
  'http-429': (c, fault) => c.json({ message: 'too many requests' }, 429, retryAfter(fault)),
  'http-401': (c) => c.json({ message: 'wrong login or key' }, 401),
  'html-200': (c) => c.html(HTML_PAGE),
  'message-200': (c) => c.json({ message: 'the service is being updated' }),
  'empty-200': (c) => c.body('', 200, { 'Content-Type': 'application/json' }),
  'empty-array': (c) => c.json([]),
  'truncated-list': (c, _fault, next) => {
    c.set('isListCut', true);
    return passOn(next);
  },
  'truncated-json': (c, _fault, next) => {
    c.set('isTextCut', true);
    return passOn(next);
  },
  reset: (c) => {
    c.env.incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  },
  'reset-body': (c, _fault, next) => sendHalf(c, next, () => c.env.incoming.socket.destroy()),
  'stall-body': (c, _fault, next) => sendHalf(c, next, () => {}),
  slow: async (_c, fault, next) => {
    await next();
    await sleep(fault.delayMs ?? DEFAULT_DELAY_MS);
    return undefined;
  },
  hang: () => RESPONSE_ALREADY_SENT,
} satisfies Readonly<Record<string, Handler>>;

/**
 * - `http-...`: that status, with a JSON message or, where named so, HTML
 * - `html-200`, `message-200`, `empty-200`, `empty-array`: status 200 with a page, `{"message": ...}`, no body, `[]`
 * - `truncated-list`: a list with half of its rows and no sign of it; applies to list requests only
 * - `truncated-json`: status 200, and the JSON ends in the middle
 * - `reset`: the connection breaks before an answer; `reset-body`: in the middle of it
 * - `stall-body`: half of the answer, then nothing; `hang`: no answer at all
 * - `slow`: the right answer, delayed
 */
export type FaultName = keyof typeof HANDLERS;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys are not typed
export const FAULT_NAMES = Object.keys(HANDLERS) as readonly FaultName[];

export type FaultOptions = {
  /** @default any route */
  readonly route?: RouteName | undefined;
  /** The header `Retry-After` of an `http-429` or `http-503-html`: seconds or an HTTP date. @default none */
  readonly retryAfter?: number | string | undefined;
  /** Delay of a `slow` answer. @default 1000 */
  readonly delayMs?: number | undefined;
};

type Fault = FaultOptions & { readonly name: FaultName };
/** A fault, and how many requests are to meet with it. */
type Plan = Fault & { left: number };

export class Faults {
  #plans: Plan[] = [];

  /** Fails the next `count` requests (of one route, where given); earlier plans come first. */
  failNext(count: number, name: FaultName, options: FaultOptions = {}): void {
    this.#plans = [...this.#plans.filter(({ left }) => left > 0), { ...options, name, left: count }];
  }

  clear(): void {
    this.#plans = [];
  }

  /** Planned faults that no request has had yet. */
  pending(): number {
    return this.#plans.reduce((sum, { left }) => sum + left, 0);
  }

  /** Takes the fault of a request of this route off the plan. */
  take(route: RouteName): Fault | undefined {
    const plan = this.#plans.find((each) => each.left > 0 && appliesTo(each, route));
    if (plan !== undefined) plan.left -= 1;
    return plan;
  }
}

function appliesTo(fault: Fault, route: RouteName): boolean {
  if (fault.name === 'truncated-list' && route !== 'orders' && route !== 'groups') return false;
  return fault.route === undefined || fault.route === route;
}

/** @returns undefined where the response is the one that `next` left in the context */
export function applyFault(
  c: ApiContext,
  fault: Fault,
  next: Next,
): Response | Promise<Response | undefined> {
  const handler: Handler = HANDLERS[fault.name];
  return handler(c, fault, next);
}

function retryAfter(fault: FaultOptions): Record<string, string> {
  return fault.retryAfter === undefined ? {} : { 'Retry-After': String(fault.retryAfter) };
}

async function passOn(next: Next): Promise<undefined> {
  await next();
}

/** Computes the true response, announces its full length in the headers, and sends half. */
async function sendHalf(c: ApiContext, next: Next, then: () => void): Promise<undefined> {
  await next();
  const whole = Buffer.from(await c.res.arrayBuffer());
  const { status, headers } = c.res;
  // Cleared first: Hono merges a response with the one before it, whose body has been read.
  c.res = undefined;
  c.res = RESPONSE_ALREADY_SENT;
  const { outgoing } = c.env;
  outgoing.writeHead(status, { ...Object.fromEntries(headers), 'content-length': whole.length });
  outgoing.write(whole.subarray(0, Math.ceil(whole.length / 2)), then);
}
