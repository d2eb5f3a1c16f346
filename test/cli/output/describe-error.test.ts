import { describe, expect, test } from 'vitest';

import {
  describeError,
  describeForLog,
  describeStack,
  reportError,
} from '../../../src/cli/output/describe-error.ts';
import { EXIT, worse } from '../../../src/cli/output/io.ts';
import {
  ConfigError,
  LeaseLostError,
  TerminalError,
  UnavailableError,
  UsageError,
} from '../../../src/model/errors.ts';
import { cliContext } from '../../support/cli-context.ts';
import { toFailure } from '../../../src/http/network-error.ts';

const LIMITS = { baseUrl: 'http://shop/', timeoutMs: 60_000, maxBodyBytes: 1_000 };
const failed = (code: string) => toFailure(Object.assign(new Error('x'), { code }), LIMITS);
const textOf = (error: unknown) => describeError(error).text;

describe('waiting is advised if it may help', () => {
  test.each([
    ['a time-out', failed('UND_ERR_BODY_TIMEOUT'), /run the command again later/],
    ['a reset connection', failed('ECONNRESET'), /run the command again later/],
    ['a pause', new UnavailableError('a pause of 90 s', { retryAfterMs: 90_000 }), /again after that\.$/],
    ['an outage', new UnavailableError('no answer for 10 min'), /when the shop is back up\.$/],
  ])('%s', (_name, error, advice) => expect(textOf(error)).toMatch(advice));
});

describe('another step is advised if waiting does not help', () => {
  test.each([
    ['a closed port', failed('ECONNREFUSED'), /check its address/],
    ['an unknown host', failed('ENOTFOUND'), /check its address/],
    ['a certificate', failed('CERT_HAS_EXPIRED'), /renewed by whoever runs the shop/],
    ['a port without TLS', failed('ERR_SSL_WRONG_VERSION_NUMBER'), /http:/],
    ['a refused login', new TerminalError('it refuses the login; check SHOP_LOGIN'), /check SHOP_LOGIN\.$/],
  ])('%s', (_name, error, step) => {
    expect(textOf(error)).toMatch(step);
    expect(textOf(error)).not.toMatch(/again/);
  });
});

test('an interrupt says what is kept, and how to go on', () => {
  expect(describeError(new Error('stopped'), true)).toEqual({
    text: 'Interrupted. What was written is kept; run the command again to continue from there.',
    code: 130,
  });
});

test('an interrupted command that stores nothing does not mention stored data', () => {
  expect(describeError(new Error('stopped'), true, 'fetch orders').text).toBe('Interrupted.');
  const outage = new UnavailableError('the shop has not answered for 10 s');
  expect(describeError(outage, false, 'fetch order').text).toBe(
    'The shop has not answered for 10 s. Run the command again when the shop is back up.',
  );
});

test('every message begins as a sentence, unless its first word is to be typed as it is', () => {
  expect(textOf(new UsageError('init asks questions'))).toBe('Init asks questions.');
  expect(textOf(new TerminalError('the shop redirects in a loop'))).toBe('The shop redirects in a loop.');
  expect(textOf(new UsageError('--from 2026-13-01 is a day that does not exist'))).toMatch(/^--from /);
});

test('the demo is suggested only if no setting of a shop is set', () => {
  const unset = ['SHOP_URL', 'SHOP_LOGIN', 'SHOP_API_KEY', 'SHOP_TIMEZONE'].map(
    (name) => `${name} is not set: x`,
  );
  expect(textOf(new ConfigError(unset))).toMatch(/order-sync demo/);
  expect(textOf(new ConfigError(unset.slice(1)))).not.toMatch(/order-sync demo/);
  expect(textOf(new ConfigError(['FRESHNESS is wrong']))).not.toMatch(/order-sync demo/);
});

test('settings that are wrong are counted; the log has them in one line', () => {
  expect(textOf(new ConfigError(['A is wrong']))).toMatch(
    /^One setting is missing or wrong:\n {2}- A is wrong\n/,
  );
  const error = new ConfigError(['A is wrong', 'B is not set']);
  expect(textOf(error)).toMatch(/^2 settings are missing or wrong:\n {2}- A is wrong\n {2}- B is not set\n/);
  expect(describeForLog(error, false)).toEqual({
    text: '2 settings are missing or wrong: A is wrong; B is not set',
    code: 2,
  });
  expect(describeForLog(new TerminalError('it is closed'), false)).toEqual({
    text: 'It is closed.',
    code: 1,
  });
  expect(describeForLog(new Error('stopped'), true)).toMatchObject({ code: 130 });
});

test('an error that is not of the shop, the settings or the database is reported as a bug', () => {
  expect(textOf(new LeaseLostError('another process took over'))).toBe('Another process took over.');
  expect(textOf(new RangeError('secret'))).toMatch(
    /^This is a bug in order-sync \(RangeError\)\. .* --debug/,
  );
  expect(textOf('secret')).toMatch(/^This is a bug in order-sync \(string\)\./);
});

test('a stack names its errors and where they were thrown, and quotes no message', () => {
  const cause = new TypeError('secret\n    atlas');
  const stack = describeStack(new Error('secret at last', { cause }));
  expect(stack).toMatch(/^Error\n {4}at .*\n[^]*\ncaused by TypeError\n {4}at /);
  expect(stack).not.toMatch(/secret|atlas|last/);
  expect(describeStack('secret')).toBe('');
});

type Reported = { readonly out: string; readonly err: string; readonly code: number };

function report(
  given: { readonly json?: boolean; readonly debug?: boolean; readonly isAborted?: boolean },
  ...shop: Parameters<typeof reportError> extends [unknown, unknown, ...infer Rest] ? Rest : never
): Reported {
  const { json = false, debug = false, isAborted = false } = given;
  const signal = isAborted ? AbortSignal.abort() : new AbortController().signal;
  const context = cliContext({ signal, flags: { debug, json } });
  const code = reportError(context, new TerminalError('it is closed'), ...shop);
  return { out: context.written.out.join(''), err: context.written.err.join(''), code };
}

test("an error is printed for people, with --json in a document too, and with the shop's name among several", () => {
  const north = { shopKey: 'north', isOneOfMany: true };
  expect(report({})).toEqual({ out: '', err: 'It is closed.\n', code: 1 });
  expect(report({}, { ...north, isOneOfMany: false }).err).toBe('It is closed.\n');
  const told = report({ json: true }, north);
  expect(told).toMatchObject({ err: 'Shop north: It is closed.\n', code: 1 });
  expect(JSON.parse(told.out)).toEqual({ shop: 'north', status: 'failed', error: 'It is closed.' });
  expect(told.out).toMatch(/\n$/);
  const interrupted = report({ json: true, isAborted: true });
  expect(JSON.parse(interrupted.out)).toMatchObject({ shop: null, status: 'interrupted' });
  expect(interrupted.code).toBe(130);
  const { out, err } = report({ debug: true });
  expect([out, err]).toEqual(['', expect.stringMatching(/^It is closed\.\nTerminalError\n {4}at [^]*\n$/)]);
});

test('of several shops, the worst exit code counts: failed, partial, different, done', () => {
  const fromBest = [0, 4, 3, 1, 2, 130];
  const inOrder = Object.values(EXIT).toSorted((a, b) => (a === b ? 0 : worse(a, b) === b ? -1 : 1));
  expect(inOrder).toEqual(fromBest);
  for (const code of Object.values(EXIT)) expect(worse(code, code)).toBe(code);
});
