import { expect, test } from 'vitest';

import { createLogger, logFatal } from '../../src/cli/log.ts';
import type { CliContext, Flags } from '../../src/cli/output/io.ts';
import { cliContext } from '../support/cli-context.ts';

function contextOf(lines: string[], isTerminal = false): CliContext {
  return cliContext({ io: { err: (text) => void lines.push(text), isTerminal }, flags: { json: true } });
}

const WARNING = 'Warning: north waited: no answer\n';

test('a log line is JSON with its level as a word and its time as text', () => {
  const lines: string[] = [];
  const context = contextOf(lines);
  const { flags } = context;
  const logger = createLogger(context, { logLevel: 'debug' });
  logger.debug({ shop: 'north' }, 'looked');
  logger.warn({}, 'waited');
  const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(read.map(({ level }) => level)).toEqual(['debug', 'warn']);
  expect(read[0]).toMatchObject({ shop: 'north', msg: 'looked', time: expect.stringMatching(/^\d{4}-.*Z$/) });
  // What is printed for people is not mixed with it.
  lines.splice(0);
  const prose = createLogger({ ...context, flags: { ...flags, json: false } }, { logLevel: undefined });
  prose.info({ shop: 'north' }, 'looked');
  prose.warn({ shop: 'north', reason: 'no answer' }, 'waited');
  expect(lines).toEqual([WARNING]);
});

test.each<[string, boolean, Partial<Flags>, string | undefined, readonly string[]]>([
  ['anywhere', false, {}, undefined, ['info', 'warn']],
  ['on a terminal', true, {}, undefined, ['warn']],
  ['of a worker on a terminal, as it is set', true, { command: 'worker' }, 'info', ['info', 'warn']],
  ['as it is set', true, {}, 'debug', ['debug', 'info', 'warn']],
  ['with --quiet', false, { quiet: true }, 'debug', []],
  ['that is silent, with --quiet too', false, { quiet: true }, 'silent', []],
])('the JSON log %s', (_where, isTerminal, flags, logLevel, levels) => {
  const lines: string[] = [];
  const context = contextOf(lines, isTerminal);
  const logger = createLogger({ ...context, flags: { ...context.flags, ...flags } }, { logLevel });
  logger.debug({}, 'a');
  logger.info({}, 'b');
  logger.warn({}, 'c');
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(levels);
});

test.each<[string, boolean, boolean, string | undefined, string]>([
  ['of warnings', false, false, undefined, WARNING],
  ['on a terminal, in the place of progress', true, false, undefined, `\r\u001B[2K${WARNING}`],
  ['of warnings, as it is set', false, false, 'warn', WARNING],
  ['of errors alone', false, false, 'error', ''],
  ['of nothing', false, false, 'silent', ''],
  ['with --quiet', false, true, undefined, ''],
])('lines for people %s', (_what, isTerminal, quiet, logLevel, expected) => {
  const lines: string[] = [];
  const context = contextOf(lines, isTerminal);
  const flags = { ...context.flags, json: false, quiet };
  createLogger({ ...context, flags }, { logLevel }).warn({ shop: 'north', reason: 'no answer' }, 'waited');
  expect(lines.join('')).toBe(expected);
});

test('the reason why a process ends is logged at every level', () => {
  const lines: string[] = [];
  logFatal(contextOf(lines, true), { stack: 'at' }, 'it ends');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'fatal', msg: 'it ends', stack: 'at' },
  ]);
});

test('lines for people say where the status page is, what changed and what is wrong', () => {
  const lines: string[] = [];
  const context = cliContext({
    io: { err: (text) => void lines.push(text), isTerminal: true },
    flags: { command: 'worker' },
  });
  const logger = createLogger(context, { logLevel: undefined });
  logger.info({ port: 8080, shops: 1 }, 'worker started');
  logger.info({ shop: 'north', orders_new: 0, orders_changed: 0, orders_missing: 0 }, 'sweep ended');
  logger.info({ shop: 'north', orders_new: 3, orders_changed: 1, orders_missing: 0 }, 'sweep ended');
  logger.warn({ shop: 'north', reason: 'no answer' }, 'sweep failed');
  logger.debug({ shop: 'north', status: 'ok' }, 'sweep ended');
  expect(lines).toEqual([
    'Status page: http://127.0.0.1:8080/ (1 shop). Ctrl-C stops.\n',
    'Shop north: 3 new orders, 1 changed order.\n',
    'Warning: north sweep failed: no answer\n',
  ]);
});
