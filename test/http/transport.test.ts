import { inspect } from 'node:util';
import v8 from 'node:v8';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { TerminalError, TransientError } from '../../src/model/errors.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';
import { bodies, ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';
import { startRawServer } from './raw-server.ts';

test('a redirect to another origin is refused, and the credentials never arrive there', async () => {
  await using other = await startScriptedShop(bodies(ONE_ORDER));
  for (const status of [301, 302, 303, 307, 308]) {
    await using shop = await startScriptedShop(
      (response) => void response.writeHead(status, { Location: `${other.url}/adm/api/orders` }).end(),
    );
    const error = await rejection(apiOf(shop).listOrders({}));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error.message).toContain(`${other.url}, where the credentials are not sent`);
    expect(error.message).toContain('set it in the settings');
    expect(shop.received).toHaveLength(1);
  }
  expect(other.received).toEqual([]);
});

test('a redirect within the origin is followed with credentials, method and body', async () => {
  await using shop = await startScriptedShop((response, _index, { url, method }) => {
    if (url.startsWith('/api2/')) return void response.end(method === 'GET' ? ONE_ORDER : LINK);
    return void response.writeHead(307, { Location: url.replace('/adm/api/', '/api2/') }).end('moved');
  });
  const api = apiOf(shop);
  expect(await api.listOrders({ limit: 3 })).toMatchObject({ received: 1 });
  expect(await api.loginLink({ by: 'login', value: 'x' })).toMatchObject({ actkey: 'k' });
  const followed = shop.received.filter(({ url }) => url.startsWith('/api2/'));
  expect(followed.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api2/orders?limit=3', ''],
    ['POST', '/api2/auth/login', '{"login":"x"}'],
  ]);
  for (const { headers } of followed) {
    expect(headers.authorization).toMatch(/^Basic /);
    expect(headers['content-type']).toBe('application/json');
  }
});
const LINK = '{"login":"l","actkey":"k","link":"https://shop.example/"}';

test.each([
  ['file:///etc/passwd', 'neither http nor https'],
  ['data:text/plain,x', 'neither http nor https'],
  ['http://', 'invalid'],
])('a redirect to %s is reported as what it is', async (location, kind) => {
  await using shop = await startScriptedShop(
    (response) => void response.writeHead(302, { Location: location }).end(),
  );
  const error = await rejection(apiOf(shop).listOrders({}));
  expect(error.message).toBe(
    `GET /orders: the shop redirects to an address that is ${kind}; check its address`,
  );
});

test('a response that decompresses to more than the limit is not read to its end', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20), { level: 9 });
  expect(bomb.byteLength).toBeLessThan(100_000);
  await using shop = await startScriptedShop((response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' }).end(bomb);
  });
  const before = process.memoryUsage().arrayBuffers;
  const error = await rejection(apiOf(shop, { maxBodyBytes: 200_000 }).listOrders({}));
  expect(error).toBeInstanceOf(TerminalError);
  expect(error.message).toContain('larger than 200000 bytes');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(25_000_000);
});

test('an address where nothing listens is reported with what to check', async () => {
  const shop = await startScriptedShop(bodies(ONE_ORDER));
  await shop[Symbol.asyncDispose]();
  const error = await rejection(apiOf(shop).listOrders({}));
  expect(error).toBeInstanceOf(TransientError);
  expect(error.message).toContain(`no response from ${new URL(shop.url).host}: nothing listens there`);
  expect(error.message).toContain('check its address');
});

test('https for a shop that speaks http is reported as such', async () => {
  await using shop = await startScriptedShop(bodies(ONE_ORDER));
  const error = await rejection(apiOf({ url: shop.url.replace('http:', 'https:') }).listOrders({}));
  expect(error.message).toMatch(/does not speak TLS.*its address.*http:/);
});

/** Collects garbage all the time, so that what is held weakly goes. */
function collectGarbage(): Disposable {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  const timer = setInterval(collect, 40);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

test('a body that stalls times out, and stops when it is aborted, whatever is garbage-collected', async () => {
  await using shop = await startScriptedShop((response) => {
    response.writeHead(200, { 'Content-Length': 1000 });
    response.write('{"orders":[');
  });
  using _collecting = collectGarbage();
  const timedOut = await rejection(apiOf(shop, { timeoutMs: 200, retry: { maxAttempts: 1 } }).listOrders({}));
  expect(timedOut.message).toBe('GET /orders: no complete response within 200 ms');
  expect(timedOut).toMatchObject({ mayPass: true });
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('stopped')), 200);
  const stopped = await rejection(apiOf(shop).listOrders({}, abort.signal));
  expect(stopped.message).toBe('stopped');
});

const BODY_TEXT = 'Iwan-Petrow-private';
const API_KEY = 'key-that-is-secret';

test.each<[string, string]>([
  ['an error page', `HTTP/1.1 500 X\r\nContent-Length: 19\r\n\r\n${BODY_TEXT}`],
  ['a refusal', `HTTP/1.1 401 X\r\nContent-Length: 19\r\n\r\n${BODY_TEXT}`],
  ['HTML', `HTTP/1.1 200 X\r\nContent-Length: 20\r\n\r\n<${BODY_TEXT}`],
  ['a message', `HTTP/1.1 200 X\r\nConnection: close\r\n\r\n{"message":"${BODY_TEXT}"}`],
  ['JSON that breaks off', `HTTP/1.1 200 X\r\nConnection: close\r\n\r\n{"orders":[{"fio":"${BODY_TEXT}`],
  ['another shape', `HTTP/1.1 200 X\r\nConnection: close\r\n\r\n{"${BODY_TEXT}":"${BODY_TEXT}"}`],
  ['a body that breaks off', `HTTP/1.1 200 X\r\nContent-Length: 99\r\n\r\n{"fio":"${BODY_TEXT}`],
  ['a broken chunk', `HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nZZ${BODY_TEXT}`],
  ['a broken archive', `HTTP/1.1 200 X\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n${BODY_TEXT}`],
  ['no HTTP at all', `${BODY_TEXT}\r\n\r\n`],
  ['nothing', ''],
  ['a redirect', `HTTP/1.1 302 X\r\nLocation: http://127.0.0.2/${BODY_TEXT}\r\nContent-Length: 0\r\n\r\n`],
])('an error over %s reveals neither key, header, body nor person', async (_name, bytes) => {
  await using shop = await startRawServer(bytes);
  const api = apiOf(shop, { apiKey: API_KEY });
  const email = 'private@example.com';
  const asks = [api.orderContent(email), api.user(email), api.loginLink({ by: 'email', value: email })];
  for (const error of await Promise.all(asks.map(rejection))) {
    const text = inspect(error, { depth: Infinity, showHidden: true });
    expect(error.message).toMatch(/^(GET|POST) \/\S+: \S/);
    expect(text).not.toContain(API_KEY);
    expect(text).not.toContain(Buffer.from(`admin:${API_KEY}`).toString('base64'));
    expect(text).not.toContain(BODY_TEXT);
    expect(text).not.toMatch(/private@|private%40/);
    expect(text.toLowerCase()).not.toContain('authorization');
  }
});
