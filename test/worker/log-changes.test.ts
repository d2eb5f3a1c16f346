import { expect, test } from 'vitest';

import { logChanges } from '../../src/worker/log-changes.ts';

function openLog() {
  const lines: string[] = [];
  let presentMs = 0;
  const write = (level: string) => (data: Readonly<Record<string, unknown>>, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(data)}`);
  const logger = logChanges(
    { debug: write('debug'), info: write('info'), warn: write('warn') },
    () => presentMs,
  );
  const found = () => lines.splice(0).filter((line) => !line.includes('sweep ended'));
  return { logger, found, pass: (ms: number) => (presentMs += ms) };
}

test("a shop's warning is logged when it begins, changes and is over", () => {
  const { logger, found } = openLog();
  const warn = (reason: string) => logger.warn({ shop: 'north', reason }, 'clock wrong');
  const sweep = (status = 'ok', shop = 'north') => logger.debug({ shop, status }, 'sweep ended');
  for (let times = 0; times < 50; times++) {
    warn('an hour ahead');
    sweep();
  }
  expect(found()).toEqual(['warn clock wrong {"shop":"north","reason":"an hour ahead"}']);
  warn('two hours ahead');
  sweep();
  expect(found()).toEqual(['warn clock wrong {"shop":"north","reason":"two hours ahead"}']);
  // Another shop's sweep says nothing of this one, nor one that was not whole.
  sweep('ok', 'south');
  sweep('partial');
  expect(found()).toEqual([]);
  sweep();
  sweep();
  expect(found()).toEqual(['info warning over {"shop":"north","warning":"clock wrong"}']);
  warn('two hours ahead');
  expect(found()).toHaveLength(1);
});

test("a shop's warning that lasts is not logged again, however long no sweep of it ends", () => {
  const { logger, found, pass } = openLog();
  for (let hours = 0; hours < 3; hours++) {
    logger.warn({ shop: 'a', reason: 'HTTP 500' }, 'sweep failed');
    pass(3_600_000);
  }
  expect(found()).toHaveLength(1);
});

test('a sweep that ends at all ends the warning that it fails', () => {
  const { logger, found } = openLog();
  for (let times = 0; times < 3; times++) logger.warn({ shop: 'a', reason: 'HTTP 500' }, 'sweep failed');
  expect(found()).toHaveLength(1);
  logger.info({ shop: 'a', status: 'partial' }, 'sweep ended');
  expect(found()).toEqual([]);
  logger.info({ shop: 'a', status: 'partial' }, 'sweep ended');
  expect(found()).toEqual(['info warning over {"shop":"a","warning":"sweep failed"}']);
});

test('a warning about no shop is logged again after ten minutes without it, and events each time', () => {
  const { logger, found, pass } = openLog();
  for (let times = 0; times < 100; times++) {
    logger.warn({ reason: 'no connection', errors: times }, 'queue error');
    pass(60_000);
  }
  expect(found()).toHaveLength(1);
  pass(600_000);
  logger.warn({ reason: 'no connection' }, 'queue error');
  for (let times = 0; times < 2; times++) logger.warn({ shop: 'a', cause: 'stale' }, 'alert raised');
  expect(found()).toHaveLength(3);
});

test('warnings of several kinds, or from several places, do not end or hide each other', () => {
  const { logger, found } = openLog();
  for (let times = 0; times < 3; times++) {
    logger.warn({ shop: 'a', reason: 'an hour ahead' }, 'clock wrong');
    logger.warn({ shop: 'a', reason: 'HTTP 500' }, 'lines missing');
    for (const from of ['2026-03-01', '2026-03-02']) logger.warn({ shop: 'a', reason: from, from }, 'window');
  }
  logger.warn({ shop: 'b', reason: 'an hour ahead' }, 'clock wrong');
  logger.info({ rows: 3 }, 'figures');
  expect(found()).toEqual([
    'warn clock wrong {"shop":"a","reason":"an hour ahead"}',
    'warn lines missing {"shop":"a","reason":"HTTP 500"}',
    'warn window {"shop":"a","reason":"2026-03-01","from":"2026-03-01"}',
    'warn window {"shop":"a","reason":"2026-03-02","from":"2026-03-02"}',
    'warn clock wrong {"shop":"b","reason":"an hour ahead"}',
    'info figures {"rows":3}',
  ]);
});
