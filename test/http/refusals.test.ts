/** What a response says about the pace, by status, time and kind of request: asked again, slowed down, or neither. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import { createHttpClient } from '../../src/http/http-client.ts';
import type { RetryPolicy } from '../../src/http/http-options.ts';
import type { HttpRequest } from '../../src/http/request.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How a server answers one request after the other, without a status not at all; later ones with 200. */
type Answer = { readonly status: number | undefined; readonly tookMs?: number; readonly pauseMs?: number };
type Asked = Partial<Pick<HttpRequest<'list' | 'record', undefined>, 'method' | 'route' | 'signal'>>;

async function ask(answers: readonly Answer[], asked: Asked, retry: Partial<RetryPolicy>) {
  const left = [...answers];
  let pauseMs: number | undefined;
  const policy = { label: '/x' };
  const client = createHttpClient({
    baseUrl: 'http://shop.example/',
    headers: {},
    retry: { maxAttempts: 1, ...retry },
    routes: { list: { ...policy, refusalScope: 'shop' }, record: { ...policy, refusalScope: 'record' } },
    probeRequests: () => [],
    pool: {
      async send() {
        const { status, tookMs = 0, ...answer } = left.shift() ?? { status: 200 };
        pauseMs = answer.pauseMs;
        await new Promise<void>((resolve) => void setTimeout(resolve, tookMs));
        if (status === undefined) throw Object.assign(new Error('broken'), { code: 'ECONNRESET' });
        return { status, headers: new Headers(), bytes: Buffer.from('{}') };
      },
    },
  });
  // What counts is how long an answer took, and not when it came.
  await vi.advanceTimersByTimeAsync(5000);
  const sent = client.send({
    route: 'record',
    method: 'GET',
    path: 'x',
    read({ status }) {
      if (status !== 200) throw new TransientError('failed', { status, retryAfterMs: pauseMs });
      return { value: undefined, shop: 'working' };
    },
    ...asked,
  });
  const ended = sent.then(
    () => 200,
    (error: unknown) => (error instanceof TransientError ? error.status : error),
  );
  for (let seconds = 0; seconds < 60; seconds++) await vi.advanceTimersByTimeAsync(1000);
  const { lowestConcurrency } = client.health;
  return { ended: await ended, sent: client.counts.list + client.counts.record, lowestConcurrency };
}

const [AS_MANY, FEWER] = [2, 1];
const refused = { status: 429 };

test.each<
  [
    what: string,
    answers: readonly Answer[],
    ended: number | undefined,
    sent: number,
    inFlight: number,
    asked?: Asked,
  ]
>([
  ['HTTP 429 at once is asked again when the pace allows it', [refused], 200, 2, AS_MANY],
  ['HTTP 503 at once, too', [{ status: 503 }], 200, 2, AS_MANY],
  ['HTTP 503 within a second, too', [{ status: 503, tookMs: 999 }], 200, 2, AS_MANY],
  ['after a second it is a failure', [{ status: 503, tookMs: 1000 }], 503, 1, FEWER],
  ['HTTP 429 is never one', [{ status: 429, tookMs: 1000 }], 200, 2, AS_MANY],
  ['HTTP 502 is one', [{ status: 502 }], 502, 1, FEWER],
  ['HTTP 504, too', [{ status: 504 }], 504, 1, FEWER],
  ['a connection that breaks off, too', [{ status: undefined }], undefined, 1, FEWER],
  ['a record is refused twice', [refused, refused], 200, 3, AS_MANY],
  ['one that is refused more often than allowed is at fault', [refused, refused, refused], 429, 3, FEWER],
  ['what is posted is not sent again', [refused], 429, 1, AS_MANY, { method: 'POST' }],
  ['a requested pause is no limit', [{ status: 429, pauseMs: 1000 }], 429, 1, AS_MANY],
  ['HTTP 500 slows nothing down', [{ status: 500 }], 500, 1, AS_MANY],
])('%s', async (_what, answers, ended, sent, lowestConcurrency, asked = {}) => {
  expect(await ask(answers, asked, { maxRefusals: 2 })).toEqual({ ended, sent, lowestConcurrency });
});

test('if every request is refused for a while, refusals count as failures', async () => {
  const answers = Array.from({ length: 9 }, () => refused);
  expect(await ask(answers, {}, { maxRefusals: 9 })).toEqual({
    ended: 429,
    sent: 7,
    lowestConcurrency: FEWER,
  });
});

test('a failure after an abort does not count', async () => {
  const [abort, reason] = [new AbortController(), new Error('not wanted')];
  setTimeout(() => abort.abort(reason), 10);
  const answers = [{ status: 502, tookMs: 20 }];
  const { ended, lowestConcurrency } = await ask(answers, { signal: abort.signal }, {});
  expect([ended, lowestConcurrency]).toEqual([reason, AS_MANY]);
});
