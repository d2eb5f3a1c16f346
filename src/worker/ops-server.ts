import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';

import { TerminalError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { databaseSentence, isDatabaseError } from '../warehouse/db/database-error.ts';
import { ReadTimeoutError } from '../warehouse/db/read-within.ts';
import { shareAnswer } from './shared-answer.ts';
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

/** For a source that does not give up by itself. */
const SOURCE_TIMEOUT_MS = 6_000;
/** Whoever asks within this after another gets the same answer. */
const FRESH_MS = 3_000;

/** Disables anything that text from outside might inject into the page. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves `/livez` (the process is up), `/readyz` (its database is usable), `/metrics`, `/status.json`, and a page for
 * people at `/`. Read-only, without personal data or secrets. It listens on every address without authentication:
 * restrict access to the port in the network.
 *
 * @param port 0 is any free one
 * @param freshMs how long an answer is given to others who ask
 * @throws TerminalError when the port is not available
 */
export async function startOpsServer(
  port: number,
  sources: OpsSources,
  freshMs = FRESH_MS,
): Promise<OpsServer> {
  const app = new Hono();
  const readMetrics = shareAnswer(() => within(sources.metrics.render()), freshMs);
  const readStatus = shareAnswer(() => within(sources.status()), freshMs);
  app.get('/livez', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const reason = await within(sources.unreadiness()).catch(() => 'the database did not answer in time');
    return reason === undefined ? context.text('ok\n') : context.text(`${reason}\n`, 503);
  });
  app.get('/metrics', async (context) => {
    const text = await readMetrics();
    return context.body(text, 200, { 'content-type': sources.metrics.contentType });
  });
  app.get('/status.json', async (context) => context.json(await readStatus()));
  app.get('/', async (context) => {
    const shops = await readStatus();
    context.header('content-security-policy', PAGE_POLICY);
    return context.html(statusPage(shops, Temporal.Now.instant(), VERSION));
  });
  app.onError((error, context) => context.text(`${describeFailure(error)}\n`, 503));
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
  const timer = setTimeout(() => late.reject(new ReadTimeoutError(SOURCE_TIMEOUT_MS)), SOURCE_TIMEOUT_MS);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why there is no answer: a sentence without anything that an error may repeat. */
function describeFailure(error: unknown): string {
  if (error instanceof ReadTimeoutError) return error.message;
  if (isDatabaseError(error)) return `the database: ${databaseSentence(error)}`;
  return `this worker failed to answer (${error instanceof Error ? error.name : 'unknown error'})`;
}
