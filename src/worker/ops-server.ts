import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

import { TerminalError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { statusPage } from './status-page/page.ts';
import type { ShopStatusJson } from './status-page/status-json.ts';

/** What the server reports, read at every request. */
export type OpsSources = {
  /** @returns a sentence saying why the worker is not ready, or undefined if it is */
  readonly unreadiness: () => Promise<string | undefined>;
  readonly metrics: { readonly contentType: string; readonly render: () => Promise<string> };
  /** What `order-sync status --json` prints, for each shop. */
  readonly status: () => Promise<readonly ShopStatusJson[]>;
};

export type OpsServer = AsyncDisposable & { readonly port: number };

const SOURCE_TIMEOUT_MS = 5_000;

/** Disables anything that text from outside might inject into the page. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves `/livez` (the process is up), `/readyz` (its database is usable), `/metrics`, `/status.json`, and a page for
 * people at `/`. Read-only, without personal data or secrets. It listens on every address without authentication:
 * restrict access to the port in the network.
 *
 * @param port 0 is any free one
 * @throws TerminalError when the port is not available
 */
export async function startOpsServer(port: number, sources: OpsSources): Promise<OpsServer> {
  const app = new Hono();
  app.get('/livez', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const reason = await within(sources.unreadiness()).catch(() => 'the database did not answer in time');
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
  app.onError((_error, context) => context.text('the database is not available; see /readyz\n', 503));
  // The shop's client runs in this process too: leave the global Request and Response alone.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === 'EADDRINUSE' ? 'is already in use' : `is not available (${cause.code ?? cause.name})`;
      reject(new TerminalError(`port ${port} ${reason}; set PORT to another`, { cause }));
    });
    server.listen(port, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

/** A hanging database must not hang health checks. */
async function within<Value>(value: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), SOURCE_TIMEOUT_MS);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
