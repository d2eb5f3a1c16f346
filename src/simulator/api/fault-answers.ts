/** Applies a fault to a request. */
import { setTimeout as sleep } from 'node:timers/promises';

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Next } from 'hono';

import { type ApiContext, HTML_PAGE } from './answer.ts';
import type { Fault, FaultName } from './simulated-faults.ts';

type Handler = (c: ApiContext, fault: Fault, next: Next) => Response | Promise<Response | undefined>;

const DEFAULT_DELAY_MS = 1000;

const HANDLERS: Readonly<Record<FaultName, Handler>> = {
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
};

/** @returns undefined where the response is the one that `next` left in the context */
export function applyFault(
  c: ApiContext,
  fault: Fault,
  next: Next,
): Response | Promise<Response | undefined> {
  return HANDLERS[fault.name](c, fault, next);
}

function retryAfter(fault: Fault): Record<string, string> {
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
