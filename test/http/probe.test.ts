import { expect, test } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import { Pace } from '../../src/http/pace.ts';
import { createProbe } from '../../src/http/probe.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { rejection } from '../shop-api/api-of.ts';

const REQUEST: HttpRequest<'orders', undefined> = {
  route: 'orders',
  method: 'GET',
  path: 'orders',
  judge: () => undefined,
  read: () => ({ value: undefined, shop: 'working' }),
};

test.each([
  [429, 'fewer in a second'],
  [503, 'fewer in a second'],
  [502, 'fewer at once'],
])('after a probe that failed with HTTP %i requests begin again %s', async (status, slower) => {
  const pace = new Pace({ maxConcurrency: 16, maxRps: 1_000 });
  const before = pace.concurrency;
  const probe = createProbe(
    () => [REQUEST],
    pace,
    () => Promise.reject(new TransientError('away', { status })),
  );
  await rejection(probe.send(undefined));
  expect(pace.concurrency < before).toBe(slower === 'fewer at once');
});

/** A probe with two requests, what it sent, and what it reported to the pace; each one is failed by what `fail` returns. */
function startProbe(
  fail: (path: string) => Error | undefined,
  paths: readonly string[] = ['list', 'groups'],
) {
  const sent: string[] = [];
  const reported: string[] = [];
  const probe = createProbe(
    () => paths.map((path) => ({ ...REQUEST, path })),
    {
      run: (task) => task({ number: 1, startedMs: 0, waited: false, inFlight: 1 }),
      record: (_kind, _started, seen) => void reported.push(seen),
    },
    async ({ path }) => {
      sent.push(path);
      const error = fail(path);
      if (error !== undefined) throw error;
    },
  );
  /** @returns what one probe sent */
  const send = async (signal?: AbortSignal) => {
    sent.length = 0;
    await probe.send(signal).catch(() => undefined);
    return sent.join();
  };
  return { probe, send, reported };
}

test('a probe asks until it is answered, and the next one for that first; once the shop is away each asks once', async () => {
  let failing = ['list'];
  const { send, reported } = startProbe((path) =>
    failing.includes(path) ? new TransientError('away', { status: 500 }) : undefined,
  );
  expect([await send(), await send()]).toEqual(['list,groups', 'groups']);
  expect(reported).toEqual([]);
  failing = ['list', 'groups'];
  expect([await send(), await send(), await send()]).toEqual(['groups,list', 'groups', 'list']);
  expect(reported).toEqual(['failed', 'failed', 'failed']);
  failing = [];
  expect(await send()).toBe('groups');
  failing = ['groups'];
  expect(await send(), 'it was there in between').toBe('groups,list');
});

test('a pause that a probe is asked for is not followed by another request', async () => {
  const away = new TransientError('away', { status: 503, retryAfterMs: 1000 });
  const { send, reported } = startProbe(() => away);
  expect([await send(), await send()]).toEqual(['list', 'groups']);
  expect(reported).toEqual(['refused', 'refused']);
});

test('a probe that is aborted says nothing', async () => {
  const abort = new AbortController();
  const { send, reported } = startProbe(() => {
    abort.abort();
    return new TransientError('stopped');
  });
  expect([await send(abort.signal), await send(abort.signal)]).toEqual(['list', 'list']);
  expect(reported).toEqual([]);
});

test('without a request there is no probe', async () => {
  const { probe } = startProbe(() => undefined, []);
  expect((await rejection(probe.send(undefined))).message).toBe('there is nothing to probe the shop with');
  expect(probe.count).toBe(1);
});
