import { expect, test } from 'vitest';

import { startCommand } from '../../../support/command-line.ts';
import { startHook } from '../../../support/hook.ts';
import { stop } from '../../../support/kill.ts';
import { openShop } from '../../../support/shop-of-commands.ts';
import { within } from '../../../support/until.ts';

test.concurrent('check --alert sends a test alert, and says whether the webhook accepted it', async () => {
  await using shop = await openShop({ orders: 5, days: 2 });
  await using hook = await startHook();
  const withHook = { ALERT_WEBHOOK_URL: hook.url };

  const taken = await shop.run('check --alert', withHook);
  expect(taken, taken.stderr).toMatchObject({ code: 0 });
  expect(taken.stdout).toContain('Test alert: ok, the webhook accepted it\n');
  expect(hook.taken()).toEqual(['order-sync: this is a test alert; alerts about shops will arrive here.']);

  hook.answer = () => 404;
  const refused = await shop.run('check --alert --json', withHook);
  expect(refused.code).toBe(1);
  const [alert, checked] = refused.stdout.trim().split('\n');
  expect(JSON.parse(alert ?? '')).toEqual({
    shop: null,
    status: 'failed',
    error: 'HTTP 404; check ALERT_WEBHOOK_URL',
    alert: 'test',
  });
  expect(JSON.parse(checked ?? '')).toMatchObject({ shop: 'default' });
  expect(refused.stdout + refused.stderr).not.toContain('hook-secret');

  const unset = await shop.run('check --alert');
  expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('ALERT_WEBHOOK_URL is not set') });
  expect(hook.requests).toHaveLength(2);
});

test.concurrent('sync without a worker alerts when it fails, and when it works again', async () => {
  await using shop = await openShop({ orders: 5, days: 2 });
  await using hook = await startHook();
  const env = { ALERT_WEBHOOK_URL: hook.url };
  const refused = await shop.run('sync', { ...env, SHOP_API_KEY: 'wrong' });
  expect(refused.code).toBe(1);
  expect(hook.requests.map(({ body }) => body)).toMatchObject([
    { shop: 'default', cause: 'credentials', event: 'raised' },
  ]);
  const works = await shop.run('sync', env);
  expect(works, works.stderr).toMatchObject({ code: 0 });
  expect(hook.requests.slice(1).map(({ body }) => body)).toMatchObject([
    { shop: 'default', cause: 'credentials', event: 'recovered' },
  ]);
  expect(refused.stderr + works.stderr).not.toContain('hook-secret');
});

test.concurrent('a worker alerts by itself', async () => {
  await using shop = await openShop({ orders: 5, days: 2 });
  await using hook = await startHook();
  const env = { ALERT_WEBHOOK_URL: hook.url, SHOP_API_KEY: 'wrong' };
  const arrived = Promise.withResolvers<void>();
  hook.answer = () => {
    arrived.resolve();
    return 200;
  };
  await shop.run('sync', { SHOP_API_KEY: 'wrong' });
  expect(hook.requests).toHaveLength(0);
  const worker = startCommand(['worker'], { ...shop.env, ...env, PORT: '0' });
  await within('the alert arrives', arrived.promise);
  expect(await stop(worker)).toMatchObject({ code: 0 });
  expect(hook.requests.map(({ body }) => body['cause'])).toEqual(['credentials']);
});
