/** What the client makes of a status: how often it asks, and whom it holds responsible. */
import { expect, test } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';
import { bodies, ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';

const RETRIES = { maxRefusals: 0, firstPauseMs: 1, maxPauseMs: 2, maxAttempts: 3 };

test.each<[number, Record<string, string>, 'shop' | 'record']>([
  [400, {}, 'record'],
  [400, { 'Retry-After': '0' }, 'shop'],
  [408, {}, 'shop'],
  [429, {}, 'shop'],
  [500, {}, 'shop'],
  [503, {}, 'shop'],
])('HTTP %i %o is retried, and counts as a failure of the %s', async (status, headers, scope) => {
  await using shop = await startScriptedShop(
    (response) => void response.writeHead(status, headers).end('{"orders":[]}'),
  );
  const api = apiOf(shop, { retry: RETRIES });
  const error = await rejection(api.listOrders({}));
  expect(error).toBeInstanceOf(TransientError);
  expect(error).toMatchObject({ scope, mayPass: true });
  expect(error.message).toContain(`GET /orders: the shop answered HTTP ${status}`);
  expect(shop.received.filter(({ url }) => url.includes('orders'))).toHaveLength(3);
  // A shop that is overloaded gets fewer requests at once; no other failure changes anything.
  expect(api.health.lowestConcurrency).toBe(status === 429 || status === 503 ? 1 : 2);
  expect(api.health).toMatchObject(
    scope === 'shop' ? { answers: 0 } : { answers: shop.received.length, isFailing: false },
  );
});

test('data that cannot be read concerns the shop', async () => {
  for (const body of ['<html>', '\uFEFF <html>', '{"orders":']) {
    await using shop = await startScriptedShop(bodies(body));
    const error = await rejection(apiOf(shop, { retry: RETRIES }).listOrders({}));
    expect(error).toMatchObject({ name: 'TransientError', scope: 'shop' });
    expect(shop.received).toHaveLength(3);
  }
});

test.each([
  ['{"orders":[', 'the response is not JSON, or is truncated'],
  [' <p>', 'the shop answered with an HTML page instead of JSON; if this persists, check its address'],
  [
    '<br />\n<b>Fatal error</b>:  Ivan in <b>/a</b>',
    "the shop's program answered with an error or warning of PHP",
  ],
  [
    'PHP Warning:  Ivan in /a on line 3\n{"orders":[',
    "the shop's program answered with an error or warning of PHP",
  ],
])('%j is reported as what it is', async (body, sentence) => {
  await using shop = await startScriptedShop(bodies(body));
  const error = await rejection(apiOf(shop, { retry: { maxAttempts: 1 } }).listOrders({}));
  expect(error.message).toContain(`GET /orders: ${sentence}`);
  expect(error.message).not.toContain('Ivan');
});

test('the end of every attempt is reported by its kind', async () => {
  const ends: string[] = [];
  const abort = new AbortController();
  await using shop = await startScriptedShop((response, index) => {
    if (index <= 1) return void response.writeHead(index === 0 ? 429 : 500).end();
    if (index === 3) return void response.writeHead(404).end();
    if (index === 4) return abort.abort(new Error('stopped'));
    return void response.end(ONE_ORDER);
  });
  const began = performance.now();
  const isPossible = (ms: number) => ms >= 0 && ms <= performance.now() - began;
  const api = apiOf(shop, {
    retry: { ...RETRIES, maxRefusals: 1 },
    onAttempt: ({ route, outcome, tookMs }) => void ends.push(`${route} ${outcome} ${isPossible(tookMs)}`),
  });
  await api.listOrders({});
  await api.user('7');
  await rejection(api.listOrders({}, abort.signal));
  expect(ends).toEqual([
    'orders transient true',
    'orders transient true',
    'orders ok true',
    'user terminal true',
    'orders stopped true',
  ]);
});

test.each([
  [
    403,
    { 'cf-mitigated': 'challenge' },
    /asks for proof that this is no robot.*address through.*\(HTTP 403\)/,
  ],
  [
    403,
    { 'content-type': 'text/html; charset=UTF-8' },
    /refused with an HTML page \(HTTP 403\).*protection service/,
  ],
  [503, { 'cf-mitigated': 'challenge' }, /HTTP 503: a protection service.*address through/],
  [200, { 'cf-mitigated': 'challenge' }, /a protection service.*address through/],
])(
  'HTTP %i of a protection service is distinguished from a refused login',
  async (status, headers, sentence) => {
    await using shop = await startScriptedShop((response, index) => {
      if (index === 0) return void response.end(ONE_ORDER);
      return void response.writeHead(status, headers).end('<html>Ivan</html>');
    });
    const api = apiOf(shop, { retry: { maxAttempts: 1 } });
    await api.listOrders({});
    const { message } = await rejection(api.listOrders({}));
    expect(message).toMatch(sentence);
    expect(message).not.toMatch(/Ivan|does not accept the login|began to refuse/);
  },
);
