import { expect, test } from 'vitest';

import { createLogger } from '../../src/cli/open.ts';

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
  const flags = { debug: false, json: false, quiet: false, command: 'sync' };
  const { signal } = new AbortController();
  const onHangup = () => ({ [Symbol.dispose]: () => {} });
  const readInput = async () => Promise.resolve(undefined);
  const context = { io, flags, env: {}, isInteractive: false, directory: '.', readInput, signal, onHangup };
  const logger = createLogger(context, { logLevel: 'debug' });
  logger.debug({ shop: 'north' }, 'looked');
  logger.warn({}, 'waited');
  const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(read.map(({ level }) => level)).toEqual(['debug', 'warn']);
  expect(read[0]).toMatchObject({ shop: 'north', msg: 'looked', time: expect.stringMatching(/^\d{4}-.*Z$/) });
});
