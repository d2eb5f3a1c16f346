import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

import { TerminalError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { statusPage } from './status-page/page.ts';
import type { ShopStatusJson } from './status-page/status-json.ts';

/** What the server tells; each is asked at every request. */
export type OpsSources = {
  /** @returns a sentence when the worker cannot do its work now, and why */
  readonly unreadiness: () => Promise<string | undefined>;
  readonly metrics: { readonly contentType: string; readonly render: () => Promise<string> };
  /** What `order-sync status --json` prints, for each shop. */
  readonly status: () => Promise<readonly ShopStatusJson[]>;
};

export type OpsServer = AsyncDisposable & { readonly port: number };

const SOURCE_TIMEOUT_MS = 5_000;

/** The page shows itself alone, in nobody's frame: what a text from outside might smuggle in does nothing. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves `/livez` (the process answers at all), `/readyz` (its database can be used), `/metrics`, `/status.json`, and a
 * page for people at `/`. Reads only; holds no personal data and no secret. It listens on every address of the machine and
 * asks for no login: who may reach the port is for the network to say.
 *
 * @param port 0 is any free one
 * @throws TerminalError when the port is taken
 */
export async function startOpsServer(port: number, sources: OpsSources): Promise<OpsServer> {
  const app = new Hono();
  app.get('/livez', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const reason = await within(sources.unreadiness()).catch(() => 'the database gave no answer in time');
    return reason === undefined ? context.text('ok\n') : context.text(`${reason}\n`, 503);
  });
  app.get('/metrics', async (context) => {
    const text = await within(sources.metrics.render());
    return context.body(text, 200, { 'content-type': sources.metrics.contentType });
  });
  app.get('/status.json', async (context) => context.json(await within(sources.status())));
  app.get('/', async (context) => {
    const shops = await within(sources.status());
    context.header('content-security-policy', PAGE_POLICY);
    return context.html(statusPage(shops, Temporal.Now.instant(), VERSION));
  });
  app.onError((_error, context) => context.text('the database cannot be read now; /readyz tells why\n', 503));
  // The global Request and Response stay the platform's own: the shop's client runs in this process too.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) =>
      reject(
        new TerminalError(`port ${port} cannot be had (${cause.code ?? cause.name}); set PORT to another`, {
          cause,
        }),
      );
    server.once('error', refuse);
    server.listen(port, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    port: bound,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

/** A database that hangs must not hang who asks how we are. */
async function within<Value>(value: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), SOURCE_TIMEOUT_MS);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
