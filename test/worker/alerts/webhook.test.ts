import { expect, test } from 'vitest';

import { alertBody, type AlertNote, createWebhook } from '../../../src/worker/alerts/webhook.ts';
import { startHook } from '../../support/hook.ts';
import { within } from '../../support/until.ts';

const NOTE: AlertNote = {
  id: 'north-7-raised',
  shop: 'north',
  cause: 'failing',
  event: 'raised',
  at: '2026-03-10T12:00:00Z',
  text: 'order-sync: shop north failed: <a> & b.',
};
const running = new AbortController().signal;

test('a message is posted as JSON, with a key that identifies repetitions', async () => {
  await using hook = await startHook();
  expect(await createWebhook({ url: hook.url })(NOTE, running)).toBeUndefined();
  expect(hook.requests).toMatchObject([
    {
      body: alertBody(NOTE),
      headers: { 'content-type': 'application/json', 'idempotency-key': 'north-7-raised' },
    },
  ]);
});

const REFUSED = [302, 400, 403, 404, 413];
test.each([200, 202, 204, ...REFUSED, 408, 429, 500])('HTTP %i', async (status) => {
  await using hook = await startHook();
  hook.answer = () => status;
  hook.headers = { location: '/elsewhere' };
  const failure = await createWebhook({ url: hook.url })(NOTE, running);
  const isRefused = REFUSED.includes(status);
  const problem = `HTTP ${status}${isRefused ? '; check ALERT_WEBHOOK_URL' : ''}`;
  if (status < 300) expect(failure).toBeUndefined();
  else expect(failure).toMatchObject({ problem, isRefused });
  expect(hook.requests, 'a redirect is not followed').toHaveLength(1);
});

test('a webhook that hangs, or does not exist, is a failure that does not name its address', async () => {
  await using hook = await startHook();
  const { promise, resolve } = Promise.withResolvers<number>();
  hook.answer = () => promise;
  const hanging = await createWebhook({ url: hook.url, timeoutMs: 50 })(NOTE, running);
  resolve(200);
  expect(hanging?.problem).toBe('no response within 0.05 s');
  const absent = await createWebhook({ url: 'http://127.0.0.1:1/hook-secret' })(NOTE, running);
  expect(absent?.problem).toMatch(/^no connection( \([A-Z_]+\))?$/);
  const unknown = await createWebhook({ url: 'http://hook-secret.invalid/' })(NOTE, running);
  expect(unknown?.problem).toMatch(/^no connection( \([A-Z_]+\))?$/);
  // None of them says that it is wrong to send it again.
  for (const failure of [hanging, absent, unknown]) expect(failure?.isRefused).toBe(false);
});

test('a worker that stops ends the request, without a failure', async () => {
  await using hook = await startHook();
  const stopping = new AbortController();
  const { promise, resolve } = Promise.withResolvers<number>();
  hook.answer = () => {
    stopping.abort(new Error('stopping'));
    return promise;
  };
  const sent = createWebhook({ url: hook.url, timeoutMs: 600_000 })(NOTE, stopping.signal);
  await expect(within('it ends', sent)).rejects.toThrow('stopping');
  resolve(200);
});

test('one document has what chats show, in which nothing is markup, and what programs take', () => {
  expect(alertBody(NOTE)).toEqual({
    ...NOTE,
    title: 'order-sync: north alert',
    body: NOTE.text,
    text: 'order-sync: shop north failed: &lt;a&gt; &amp; b.',
  });
  expect(alertBody({ ...NOTE, event: 'recovered' }).title).toBe('order-sync: north recovered');
  expect(alertBody({ ...NOTE, shop: null, cause: null, event: 'test' }).title).toBe('order-sync: test alert');
});
