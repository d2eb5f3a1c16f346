import { expect, test } from 'vitest';

import { workerLines } from '../../../src/cli/output/worker-lines.ts';

test('a person at a terminal is told where the page is, what changed, and what is wrong', () => {
  const lines: string[] = [];
  const logger = workerLines((line) => void lines.push(line));
  logger.info({ port: 8080, shops: 1 }, 'worker started');
  logger.info({ shop: 'north', orders_new: 0, orders_changed: 0, orders_missing: 0 }, 'sweep ended');
  logger.info({ shop: 'north', orders_new: 3, orders_changed: 1, orders_missing: 0 }, 'sweep ended');
  logger.warn({ shop: 'north', reason: 'no answer' }, 'sweep failed');
  logger.debug({ shop: 'north', status: 'ok' }, 'sweep ended');
  expect(lines).toEqual([
    'Status page: http://127.0.0.1:8080/ (1 shop). Ctrl-C stops.',
    'Shop north: 3 new orders, 1 changed order.',
    'Warning: north sweep failed: no answer',
  ]);
});
