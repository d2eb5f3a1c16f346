/** Bodies that are too large, or come on a connection that somebody else uses. */
import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { ShapeError } from '../../src/model/errors.ts';
import { createConnectionPool } from '../../src/http/connection-pool.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';
import { ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';

const TOO_LARGE =
  'GET /orders: the response is larger than 100 bytes; check in the shop what makes it that large';

test('a body larger than the limit is abandoned at once, even if it never ends', async () => {
  await using shop = await startScriptedShop((response) => {
    response.writeHead(200);
    response.write(' '.repeat(60));
    response.write(' '.repeat(60));
  });
  const error = await rejection(apiOf(shop, { maxBodyBytes: 100 }).listOrders({}));
  expect(error).toMatchObject({ message: TOO_LARGE, constructor: ShapeError });
  expect(shop.received).toHaveLength(2);
});

test('the chunks of a body are joined in order', async () => {
  const [first, second, third] = [ONE_ORDER.slice(0, 5), ONE_ORDER.slice(5, 9), ONE_ORDER.slice(9)];
  await using shop = await startScriptedShop((response) => {
    response.write(first);
    setImmediate(() => {
      response.write(second);
      setImmediate(() => response.end(third));
    });
  });
  const size = Buffer.byteLength(ONE_ORDER);
  expect(await apiOf(shop, { maxBodyBytes: size }).listOrders({})).toMatchObject({ received: 1 });
});

test('a small body that unpacks to the limit is read, and one byte more is too much', async () => {
  const size = Buffer.byteLength(ONE_ORDER);
  await using shop = await startScriptedShop(
    (response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(ONE_ORDER)),
  );
  const pool = (maxBodyBytes: number) =>
    createConnectionPool({ baseUrl: shop.url, connections: 1, timeoutMs: 30_000, maxBodyBytes });
  const read = (maxBodyBytes: number) =>
    apiOf(shop, { pool: pool(maxBodyBytes), maxBodyBytes }).listOrders({});
  const packed = gzipSync(ONE_ORDER).byteLength;
  expect(await read(Math.max(size, packed))).toMatchObject({ received: 1 });
  expect((await rejection(read(size - 1))).message).toContain(`larger than ${size - 1} bytes`);
});

test('a request that is aborted while it waits for a connection is never sent', async () => {
  const first = Promise.withResolvers<void>();
  await using shop = await startScriptedShop(async (response, index) => {
    if (index === 0) await first.promise;
    response.end(ONE_ORDER);
  });
  const pool = createConnectionPool({
    baseUrl: shop.url,
    connections: 1,
    timeoutMs: 30_000,
    maxBodyBytes: 10_000,
  });
  const send = (path: string, { signal } = new AbortController()) =>
    pool.send({ method: 'GET', path, headers: {}, body: undefined }, signal);
  const holding = send('/1');
  await expect.poll(() => shop.received.length).toBe(1);
  const abort = new AbortController();
  const waiting = rejection(send('/2', abort));
  const later = send('/3');
  abort.abort(new Error('not wanted'));
  expect(await waiting).toMatchObject({ message: 'not wanted' });
  first.resolve();
  await Promise.all([holding, later]);
  expect(shop.received.map(({ url }) => url)).toEqual(['/1', '/3']);
});
