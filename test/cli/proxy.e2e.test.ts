import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import { connect } from 'node:net';

import { createAdaptorServer } from '@hono/node-server';
import { expect, test } from 'vitest';

import { makeSimulator } from '../../src/simulator/server.ts';
import { makeCertificate } from '../support/certificate.ts';
import { runCommand } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';
import { listen } from '../support/listen.ts';

/** A name that only the proxy knows. */
const HOST = 'shop.behind-the-proxy.test';

test('a shop with a certificate of its own is reached through HTTPS_PROXY, and without it where NO_PROXY says so', async ({
  skip,
}) => {
  await using stack = new AsyncDisposableStack();
  const certificate = stack.use(await makeCertificate(HOST, skip));
  const { app } = makeSimulator({ orders: 20, days: 4, seed: 1 });
  const shop = createAdaptorServer({
    fetch: app.fetch,
    createServer: createHttpsServer,
    serverOptions: { key: certificate.key, cert: certificate.cert },
    overrideGlobalObjects: false,
  });
  if (!(shop instanceof HttpsServer)) throw new TypeError('this is no server with certificates');
  const { port } = stack.use(await listen(shop));
  const asked: (string | undefined)[] = [];
  const proxy = createHttpServer().on('connect', (request, socket, head) => {
    asked.push(request.url);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => socket.destroy());
  });
  const { url: proxyUrl } = stack.use(await listen(proxy));

  const database = stack.use(await freshDatabase());
  const env = {
    SHOP_URL: `https://${HOST}`,
    SHOP_LOGIN: 'admin',
    SHOP_API_KEY: 'simulated-key',
    SHOP_TIMEZONE: 'Europe/Berlin',
    SHOP_MAX_RPS: '1000',
    DATABASE_URL: database.url,
    HTTPS_PROXY: proxyUrl,
    NODE_EXTRA_CA_CERTS: certificate.path,
  };
  // The shop and a webhook, whose address has a port.
  const webhook = { ALERT_WEBHOOK_URL: `https://${HOST}:8443/hook` };
  const through = await runCommand(['check', '--alert'], { ...env, ...webhook });
  expect(through.stdout, through.stderr).toMatch(/HTTP 404[^]*20 orders/);
  expect(new Set(asked)).toEqual(new Set([`${HOST}:443`, `${HOST}:8443`]));

  // So is an address that is only tried.
  asked.length = 0;
  const ofProxy = { HTTPS_PROXY: env.HTTPS_PROXY, NODE_EXTRA_CA_CERTS: certificate.path };
  expect((await runCommand(['check', HOST], ofProxy)).stdout).toContain('looks like such a shop');
  expect(new Set(asked)).toEqual(new Set([`${HOST}:443`]));

  asked.length = 0;
  const past = await runCommand(['login-link', '--login', 'x'], { ...env, NO_PROXY: HOST });
  expect(past.code).toBe(1);
  expect(asked).toEqual([]);
});
