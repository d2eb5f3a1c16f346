/** What the client says of a network that fails, and whether waiting helps. */
import { inspect } from 'node:util';

import { expect, test } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';
import { startRawServer } from './raw-server.ts';

const URL_OF_SHOP = 'http://shop.example:8080';

function codedError(code: string, message = 'broken'): Error {
  return Object.assign(new Error(message), { code });
}

/** The error of a request that breaks off with this one. */
function askThrough(error: Error): Promise<Error> {
  const pool = {
    async send() {
      throw error;
    },
  };
  return rejection(apiOf({ url: URL_OF_SHOP }, { pool, retry: { maxAttempts: 1 } }).listOrders({}));
}

const HOST = 'shop.example:8080';
const SILENT = `no response from ${HOST}`;
const TLS = `the TLS certificate of ${HOST}`;
const UNKNOWN_AUTHORITY = `${TLS} is from an authority that this machine does not know; name that authority`;

test.each<readonly [string, boolean, string]>([
  ['ECONNREFUSED', false, `${SILENT}: nothing listens there; check its address`],
  ['ENOTFOUND', false, `${SILENT}: its host name is unknown; check its address`],
  ['EHOSTUNREACH', false, `${SILENT}: there is no route to it; check its address`],
  ['EAI_AGAIN', true, `${SILENT}: its host name could not be looked up now`],
  ['ECONNRESET', true, `${SILENT}: the connection was reset`],
  ['UND_ERR_SOCKET', true, `${SILENT}: the connection was closed`],
  ['ETIMEDOUT', true, `${SILENT}: the connection timed out`],
  ['UND_ERR_CONNECT_TIMEOUT', true, `${SILENT}: the connection timed out; check its address and firewalls`],
  ['CERT_HAS_EXPIRED', false, `${TLS} has expired; it has to be renewed`],
  ['CERT_NOT_YET_VALID', false, `${TLS} is not valid yet; check the clock`],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false, `${TLS} is for another name; use an address`],
  ['CERT_REVOKED', false, `${TLS} is not accepted (CERT_REVOKED); check it`],
  ...['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'Z_DATA_ERROR'].map(
    (code) => [code, true, `the response of ${HOST} breaks the rules of HTTP (${code}); whoever`] as const,
  ),
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, UNKNOWN_AUTHORITY],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', false, UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', false, UNKNOWN_AUTHORITY],
  ['HPE_INVALID_CONSTANT', false, `the server at ${HOST} does not speak HTTP; check its address`],
  ['ERR_SSL_WRONG_VERSION_NUMBER', false, `${HOST} does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER); check`],
  ['EPROTO', false, `${HOST} does not speak TLS (EPROTO); check whether its address`],
  ['EODD', true, `no readable response from ${HOST} (EODD)`],
])('%s may pass by itself: %s', async (code, mayPass, sentence) => {
  const error = codedError(code);
  const several = new AggregateError([error, codedError('EODD')], 'all addresses failed');
  const none = new AggregateError([], 'no address is left', { cause: error });
  for (const thrown of [error, new TypeError('fetch failed', { cause: error }), several, none]) {
    const told = await askThrough(thrown);
    expect(told).toBeInstanceOf(TransientError);
    expect(told).toMatchObject({ mayPass, scope: 'shop' });
    expect(told.message).toContain(`GET /orders: ${sentence}`);
  }
});

test('an error without a code is reported all the same, with the text at its root as the cause', async () => {
  const root = Object.assign(new RangeError(' at the root '), { code: 7 });
  const told = await askThrough(new TypeError('fetch failed', { cause: root }));
  expect(told.message).toBe(`GET /orders: no readable response from ${HOST} (the connection failed)`);
  const cause = told.cause instanceof TransientError ? told.cause.cause : told.cause;
  expect(cause).toEqual(new Error('RangeError: at the root'));
});

test('an error exposes nothing of its request and response', async () => {
  const carrying = Object.assign(codedError('ECONNRESET'), {
    headers: { authorization: 'Basic secret' },
    data: 'private body',
  });
  for (const thrown of [carrying, new TypeError('fetch failed', { cause: carrying })]) {
    const text = inspect(await askThrough(thrown), { depth: Infinity, showHidden: true });
    expect(text).not.toMatch(/secret|private|authorization/);
  }
});

test.each([
  ['Content-Length: two\r\n\r\n{}', 'Invalid character in Content-Length'],
  ['Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
  ['X-Note: a\u0001b\r\nContent-Length: 2\r\n\r\n{}', 'Invalid header value char'],
  ['Transfer-Encoding: chunked\r\n\r\nzz\r\n{}', 'Invalid character in chunk size'],
  [`X-Note: ${'a'.repeat(20_000)}\r\n\r\n{}`, 'UND_ERR_HEADERS_OVERFLOW'],
  ['Content-Length: 11\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03\x07', 'Z_DATA_ERROR'],
])('a response that breaks the rules of HTTP is reported with what is wrong: %j', async (rest, code) => {
  await using shop = await startRawServer(`HTTP/1.1 200 OK\r\n${rest}`);
  const told = await rejection(apiOf(shop, { retry: { maxAttempts: 1 } }).listOrders({}));
  const host = new URL(shop.url).host;
  expect(told.message).toContain(`GET /orders: the response of ${host} breaks the rules of HTTP (${code})`);
  // A program that does not know the rules goes on like that; one that broke off may not.
  expect(told).toMatchObject({ mayPass: !code.startsWith('Invalid') });
});
