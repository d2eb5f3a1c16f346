/** Pages that are open, and what the server tells them. */
import { expect, test } from 'vitest';

import { startOpsServer } from '../../src/worker/ops-server.ts';
import { patienceMs } from '../support/patience.ts';
import { REFUSED, WELL } from './ops-sources.ts';

test('a page that is closed is told nothing any more, and makes room for another', async () => {
  await using server = await startOpsServer({ port: 0 }, WELL);
  const watch = async () => {
    const left = new AbortController();
    const events = await fetch(`http://127.0.0.1:${server.port}/events`, { signal: left.signal });
    const { done } = (await events.body?.getReader().read()) ?? { done: true };
    left.abort();
    return !done;
  };
  for (let page = 0; page < 100; page++) await watch();
  await expect.poll(watch, { timeout: patienceMs() }).toBe(true);
});

test('a page that is open is told why the shops cannot be read', async () => {
  const status = async () => Promise.reject(REFUSED);
  await using server = await startOpsServer({ port: 0, freshMs: 1 }, { ...WELL, status });
  const left = new AbortController();
  const events = await fetch(`http://127.0.0.1:${server.port}/events`, { signal: left.signal });
  let told = '';
  for await (const bytes of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    told += bytes;
    if (told.includes('event: trouble')) break;
  }
  left.abort();
  expect(told).toContain('"text":"the database: nothing is listening there; check DATABASE_URL');
});
