import { expect, test } from 'vitest';

import { createLogger } from '../../src/cli/open.ts';
import type { CliContext } from '../../src/cli/output/io.ts';

test('a log line is JSON with its level as a word and its time as text', () => {
  const lines: string[] = [];
  const io = {
    out: () => {},
    err: (text: string) => lines.push(text),
    isTerminal: false,
    columns: () => 80,
    outColumns: () => undefined,
    outIsOpen: () => true,
  };
  const flags = { debug: false, json: true, quiet: false, command: 'sync' };
  const { signal } = new AbortController();
  const onHangup = () => ({ [Symbol.dispose]: () => {} });
  const readInput = async () => Promise.resolve(undefined);
  const context: CliContext = {
    io,
    flags,
    env: {},
    isInteractive: false,
    directory: '.',
    readInput,
    signal,
    onHangup,
  };
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
  expect(lines).toEqual(['Warning: north waited: no answer\n']);
});
