import { describe, expect, test } from 'vitest';

import { describeError } from '../../../src/cli/output/describe-error.ts';
import {
  ConfigError,
  TerminalError,
  TransientError,
  UnavailableError,
  UsageError,
} from '../../../src/errors.ts';
import { networkError } from '../../../src/http/network-error.ts';

const coded = (code: string) => Object.assign(new Error('x'), { code });
const textOf = (error: unknown) => describeError(error).text;

describe('waiting is advised where it may help', () => {
  test.each([
    ['a time-out', new TransientError('no complete response within 60000 ms'), /run the command again later/],
    ['a reset connection', networkError(coded('ECONNRESET'), 'shop'), /run the command again later/],
    [
      'a pause',
      new UnavailableError('the shop requested a pause of 90 s', { retryAfterMs: 90_000 }),
      /again after that\.$/,
    ],
    [
      'an outage',
      new UnavailableError('the shop has not answered for 10 min'),
      /when the shop is back up\.$/,
    ],
  ])('%s', (_name, error, advice) => expect(textOf(error)).toMatch(advice));
});

describe('and nowhere else: there the next step is another', () => {
  test.each([
    ['a closed port', networkError(coded('ECONNREFUSED'), 'shop'), /check SHOP_URL/],
    ['an unknown host', networkError(coded('ENOTFOUND'), 'shop'), /check SHOP_URL/],
    ['a certificate', networkError(coded('CERT_HAS_EXPIRED'), 'shop'), /NODE_EXTRA_CA_CERTS/],
    ['a port without TLS', networkError(coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'shop'), /http:/],
    [
      'a refused login',
      new TerminalError('it does not accept the login; check SHOP_LOGIN'),
      /check SHOP_LOGIN\.$/,
    ],
  ])('%s', (_name, error, step) => {
    expect(textOf(error)).toMatch(step);
    expect(textOf(error)).not.toMatch(/again/);
  });
});

test('what an interrupt leaves behind is said of each command as it is', () => {
  const said = (command: string) => describeError(new Error('stopped'), command);
  expect(said('backfill')).toEqual({
    text: 'Interrupted. What was written is kept; the next run continues from here.',
    code: 130,
  });
  expect(said('shops delete').text).toMatch(/run the command again to finish/);
  expect(said('check').text).toBe('Interrupted.');
});

test('every message begins as a sentence, unless its first word is to be typed as it is', () => {
  expect(textOf(new UsageError('init asks questions'))).toBe('Init asks questions.');
  expect(textOf(new TerminalError('the shop redirects in a loop'))).toBe('The shop redirects in a loop.');
  expect(textOf(new UsageError('--from 2026-13-01 is a day that does not exist'))).toMatch(/^--from /);
});

test('the demo is offered to whoever has set nothing of a shop, and to nobody else', () => {
  const unset = ['SHOP_URL', 'SHOP_LOGIN', 'SHOP_API_KEY', 'SHOP_TIMEZONE'].map(
    (name) => `${name} is not set: x`,
  );
  expect(textOf(new ConfigError(unset))).toMatch(/order-sync demo/);
  expect(textOf(new ConfigError(unset.slice(1)))).not.toMatch(/order-sync demo/);
  expect(textOf(new ConfigError(['FRESHNESS is wrong']))).not.toMatch(/order-sync demo/);
});
