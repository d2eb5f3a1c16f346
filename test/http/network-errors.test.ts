/** What the client says of a network that fails, and whether waiting helps. */
import { inspect } from 'node:util';

import { expect, test } from 'vitest';

import { TransientError } from '../../src/errors.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';

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

test.each<[string, boolean, string]>([
  ['ECONNREFUSED', false, `no response from ${HOST}: nothing listens there; check SHOP_URL`],
  ['ENOTFOUND', false, `no response from ${HOST}: its host name is unknown; check SHOP_URL`],
  ['EHOSTUNREACH', false, `no response from ${HOST}: there is no route to it; check SHOP_URL`],
  ['EAI_AGAIN', true, `no response from ${HOST}: its host name could not be looked up now`],
  ['ECONNRESET', true, `no response from ${HOST}: the connection was reset`],
  ['UND_ERR_SOCKET', true, `no response from ${HOST}: the connection was closed`],
  ['ETIMEDOUT', true, `no response from ${HOST}: the connection timed out`],
  [
    'UND_ERR_CONNECT_TIMEOUT',
    true,
    `no response from ${HOST}: the connection timed out; check SHOP_URL and firewalls`,
  ],
  ['CERT_HAS_EXPIRED', false, `the TLS certificate of ${HOST} is not trusted (CERT_HAS_EXPIRED); name its`],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, `the TLS certificate of ${HOST} is not trusted (UNABLE`],
  ['ERR_SSL_WRONG_VERSION_NUMBER', false, `${HOST} does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER); check`],
  ['EPROTO', false, `${HOST} does not speak TLS (EPROTO); check whether SHOP_URL`],
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

test('a server that does not speak HTTP is not waited for', async () => {
  const parser = Object.assign(codedError('HPE_INVALID_CONSTANT'), { name: 'HTTPParserError' });
  const told = await askThrough(new TypeError('fetch failed', { cause: parser }));
  expect(told).toMatchObject({ mayPass: false });
  expect(told.message).toBe(`GET /orders: the server at ${HOST} does not speak HTTP; check SHOP_URL`);
});

test('what an error carries of request and response goes no further', async () => {
  const carrying = Object.assign(codedError('ECONNRESET'), {
    headers: { authorization: 'Basic secret' },
    data: 'private body',
  });
  for (const thrown of [carrying, new TypeError('fetch failed', { cause: carrying })]) {
    const text = inspect(await askThrough(thrown), { depth: Infinity, showHidden: true });
    expect(text).not.toMatch(/secret|private|authorization/);
  }
});
