import { expect, test } from 'vitest';

import { ReadTimeoutError } from '../../src/warehouse/db/read-within.ts';
import { type OpsSources, startOpsServer } from '../../src/worker/ops-server.ts';

const WELL: OpsSources = {
  unreadiness: async () => undefined,
  status: async () => [],
  metrics: { contentType: 'text/plain', render: async () => 'up 1\n' },
};

const REFUSED = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' });

test.each([
  [new ReadTimeoutError(5_000), 'the database did not answer within 5 s\n'],
  [REFUSED, 'the database: nothing is listening there; check DATABASE_URL, and that PostgreSQL is up\n'],
  [new RangeError('of Mr. Smith'), 'this worker failed to answer (RangeError)\n'],
])('%s is told as what it is', async (error, text) => {
  const fail = async () => {
    throw error;
  };
  const metrics = { ...WELL.metrics, render: fail };
  await using server = await startOpsServer(0, { ...WELL, status: fail, metrics });
  for (const path of ['/', '/status.json', '/metrics']) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    expect([response.status, await response.text()], path).toEqual([503, text]);
  }
});

test('many who ask at once cost one reading, of the page and its data together', async () => {
  const reads = { status: 0, metrics: 0 };
  const status = async () => {
    reads.status++;
    return [];
  };
  const render = async () => {
    reads.metrics++;
    return 'up 1\n';
  };
  await using server = await startOpsServer(0, { ...WELL, status, metrics: { ...WELL.metrics, render } });
  const paths = Array.from({ length: 5 }, () => ['/', '/status.json', '/metrics']).flat();
  const responses = await Promise.all(
    paths.map(async (path) => await fetch(`http://127.0.0.1:${server.port}${path}`)),
  );
  expect(responses.map((response) => response.status)).toEqual(paths.map(() => 200));
  expect(reads).toEqual({ status: 1, metrics: 1 });
});
