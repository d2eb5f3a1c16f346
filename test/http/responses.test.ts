import { createServer } from 'node:http';
import { constants, gzipSync } from 'node:zlib';

import { afterEach, expect, test, vi } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import { VERSION } from '../../src/model/program.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';
import { bodies, ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';
import { listen } from '../support/listen.ts';

afterEach(() => vi.unstubAllEnvs());

/** Larger than what is decoded at once. */
const LONG = JSON.stringify({
  orders: Array.from({ length: 400 }, (_, index) => ({ order_id: index + 1, hash: Math.sin(index) })),
});

const CODINGS: readonly (readonly [what: string, encode: (text: string) => Buffer])[] = [
  ['gzip', gzipSync],
  ['X-GZip', gzipSync],
  // As a program and a server before it do that do not know of each other.
  ['gzip', (text) => gzipSync(gzipSync(text))],
  ['identity', gzipSync],
  ['gzip', (text) => Buffer.from(text)],
  // Without the end of its stream.
  ['gzip', (text) => gzipSync(text, { finishFlush: constants.Z_SYNC_FLUSH })],
];

test.each(CODINGS)(
  'a body in gzip, or said to be in %s, is decoded, be it short or long',
  async (coding, encode) => {
    const texts = [ONE_ORDER, LONG];
    await using shop = await startScriptedShop(
      (response, index) =>
        void response.writeHead(200, { 'Content-Encoding': coding }).end(encode(texts[index] ?? '')),
    );
    const api = apiOf(shop);
    expect(await api.listOrders({})).toMatchObject({ received: 1 });
    expect(await api.listOrders({})).toMatchObject({ received: 400 });
  },
);

test.each<[string, Buffer]>([
  ['cut off in the middle', gzipSync(LONG).subarray(0, 2000)],
  ['spoiled', Buffer.concat([gzipSync(LONG).subarray(0, 1000), Buffer.alloc(3000, 0xff)])],
])('a body that is %s is requested again', async (_what, body) => {
  await using shop = await startScriptedShop((response, index) => {
    if (index > 0) return void response.end(ONE_ORDER);
    return void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(body);
  });
  expect(await apiOf(shop).listOrders({})).toMatchObject({ received: 1 });
  expect(shop.received).toHaveLength(2);
});

test('it sends its user agent and the encodings and types that it accepts', async () => {
  await using shop = await startScriptedShop(bodies(ONE_ORDER));
  await apiOf(shop).listOrders({});
  expect(shop.received[0]?.headers).toMatchObject({
    'user-agent': `order-sync/${VERSION}`,
    'accept-encoding': 'gzip',
    accept: 'application/json',
    'cache-control': 'no-cache',
  });
});

test.each([600, 999])('a status of %i is a fault that may pass', async (status) => {
  await using shop = await startScriptedShop((response, index) => {
    if (index > 0) return void response.end(ONE_ORDER);
    return void response.socket?.end(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\n{}`);
  });
  const error = await rejection(apiOf(shop, { retry: { maxAttempts: 1 } }).listOrders({}));
  expect(error).toBeInstanceOf(TransientError);
  expect(error.message).toContain(`the shop answered HTTP ${status}`);
  expect(await apiOf(shop).listOrders({})).toMatchObject({ received: 1 });
});

test.each([
  [
    'announced by interim ones',
    '102 Processing\r\n\r\nHTTP/1.1 103 Early\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK',
  ],
  ['with headers in other alphabets', '200 Хорошо\r\nX-Shop: Магазин'],
  [
    'with empty and repeated headers',
    '200 OK\r\nX-Empty:\r\nContent-Type: application/json\r\nContent-Type: text/html',
  ],
])('an answer %s is read', async (_what, head) => {
  await using shop = await startScriptedShop(
    (response) =>
      void response.socket?.end(
        `HTTP/1.1 ${head}\r\nContent-Length: ${ONE_ORDER.length}\r\n\r\n${ONE_ORDER}`,
      ),
  );
  expect(await apiOf(shop).listOrders({})).toMatchObject({ received: 1 });
});

test('a redirect to a path in another alphabet is followed', async () => {
  await using shop = await startScriptedShop((response, index) => {
    if (index > 0) return void response.end(ONE_ORDER);
    return void response.socket?.end(
      'HTTP/1.1 302 X\r\nLocation: /заказы?limit=1#top\r\nContent-Length: 0\r\n\r\n',
    );
  });
  expect(await apiOf(shop).listOrders({})).toMatchObject({ received: 1 });
  expect(shop.received[1]?.url).toBe(`/${encodeURIComponent('заказы')}?limit=1`);
});

test('connections are used again, and there are hardly more of them than requests may be in flight', async () => {
  let connections = 0;
  const server = createServer((_request, response) => void setTimeout(() => response.end(ONE_ORDER), 5));
  server.on('connection', () => connections++);
  await using shop = await listen(server);
  const api = apiOf(shop, { maxConcurrency: 3 });
  await Promise.all(Array.from({ length: 30 }, () => api.listOrders({})));
  expect(connections).toBeLessThanOrEqual(4);
});

test('a cancelled request closes its connection, and the next one gets another', async () => {
  await using shop = await startScriptedShop((response, index) => {
    if (index > 0) response.end(ONE_ORDER);
  });
  const api = apiOf(shop, { maxConcurrency: 1 });
  const abort = new AbortController();
  const asked = rejection(api.listOrders({}, abort.signal));
  await expect.poll(() => shop.received.length).toBe(1);
  abort.abort(new Error('not wanted'));
  expect(await asked).toMatchObject({ message: 'not wanted' });
  expect(api.health).toMatchObject({ answers: 0, isFailing: false });
  expect(await api.listOrders({})).toMatchObject({ received: 1 });
});

test('a shop is reached through its proxy, and without it where none is set, whatever the environment says', async () => {
  await using proxy = await startScriptedShop(bodies(ONE_ORDER));
  await using shop = await startScriptedShop(bodies(ONE_ORDER));
  const settings = { httpProxy: proxy.url, httpsProxy: '', noProxy: 'direct.invalid' };
  const far = apiOf({ url: 'http://shop.invalid' }, { proxy: settings });
  expect(await far.listOrders({})).toMatchObject({ received: 1 });
  expect(proxy.received.map(({ url }) => url)).toEqual(['http://shop.invalid/adm/api/orders']);
  for (const name of ['HTTP_PROXY', 'http_proxy']) vi.stubEnv(name, proxy.url);
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '');
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  for (const direct of [undefined, { httpProxy: '', httpsProxy: '', noProxy: '' }]) {
    expect(await apiOf(shop, { proxy: direct }).listOrders({})).toMatchObject({ received: 1 });
  }
  expect(proxy.received).toHaveLength(1);
});
