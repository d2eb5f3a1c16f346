import { expect, test } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import { createProbe } from '../../src/http/probe.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { rejection } from '../shop-api/api-of.ts';

const REQUEST: HttpRequest<'orders', undefined> = {
  route: 'orders',
  method: 'GET',
  path: 'orders',
  read: () => ({ value: undefined, shop: 'working' }),
};

/** A probe with two requests; each one is failed by what `fail` returns. */
function startProbe(
  fail: (path: string) => Error | undefined,
  paths: readonly string[] = ['list', 'groups'],
) {
  let sent: string | undefined;
  const probe = createProbe(
    () => paths.map((path) => ({ ...REQUEST, path })),
    async ({ path }) => {
      sent = path;
      const error = fail(path);
      if (error !== undefined) throw error;
    },
  );
  /** @returns what the probe sent */
  const send = async (signal?: AbortSignal) => {
    await probe(signal).catch(() => undefined);
    return sent;
  };
  return { probe, send };
}

test('each probe asks for one thing: for what was answered last, and after a failure for the next', async () => {
  let failing = ['list'];
  const { send } = startProbe((path) =>
    failing.includes(path) ? new TransientError('away', { status: 500 }) : undefined,
  );
  expect([await send(), await send(), await send()]).toEqual(['list', 'groups', 'groups']);
  failing = ['list', 'groups'];
  expect([await send(), await send(), await send()]).toEqual(['groups', 'list', 'groups']);
  failing = [];
  expect([await send(), await send()]).toEqual(['list', 'list']);
});

test('a probe that is aborted says nothing', async () => {
  const abort = new AbortController();
  const { send } = startProbe(() => {
    abort.abort();
    return new TransientError('stopped');
  });
  expect([await send(abort.signal), await send(abort.signal)]).toEqual(['list', 'list']);
});

test('without a request there is no probe', async () => {
  const { probe } = startProbe(() => undefined, []);
  expect((await rejection(probe(undefined))).message).toBe('there is nothing to probe the shop with');
});
