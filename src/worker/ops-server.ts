import { once } from 'node:events';

import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';

import { TerminalError } from '../model/errors.ts';
import type { ShopDetails } from '../sync/report/shop-details.ts';
import { databaseSentence, isDatabaseError } from '../warehouse/db/database-error.ts';
import { ReadTimeoutError } from '../warehouse/db/read-within.ts';
import { plainHeaders, requireOwnName, requirePassword } from './status-page/ops-access.ts';
import { shareAnswers } from './shared-answer.ts';
import { servePages } from './status-page/serve-pages.ts';
import type { ShopStatusJson } from '../sync/report/shop-report.ts';

/** What the server reports, read at every request. Each source gives up by itself, so that a hanging database hangs no health check. */
export type OpsSources = {
  /** @returns a sentence saying why the worker is not ready, or undefined if it is */
  readonly unreadiness: () => Promise<string | undefined>;
  readonly metrics: {
    readonly contentType: string;
    readonly render: () => Promise<string>;
  };
  /** What `order-sync status --json` prints, for each shop. */
  readonly status: () => Promise<readonly ShopStatusJson[]>;
  /** What the page of one shop shows; undefined where there is none of that key. */
  readonly shop: (shopKey: string) => Promise<ShopDetails | undefined>;
};

export type OpsServerOptions = {
  /** 0 is any free one. */
  readonly port: number;
  /** The address to listen on. @default every one */
  readonly host?: string;
  /** Required for all but the health checks. @default none */
  readonly password?: string | undefined;
  /** How long an answer is given to others who ask. @default 3_000 */
  readonly freshMs?: number;
};

export type OpsServer = AsyncDisposable & { readonly port: number };

/** Whoever asks within this after another gets the same answer. */
const FRESH_MS = 3_000;

/**
 * Serves `/livez` (the process is up), `/readyz` (its database is usable), `/metrics`, `/status.json`, and pages for
 * people at `/` and `/shops/KEY`. Read-only, without personal data or secrets. Without a password it answers everyone who reaches
 * the port, but under no unknown name.
 *
 * @throws TerminalError when the port is not available
 */
export async function startOpsServer(
  { port, host, password, freshMs = FRESH_MS }: OpsServerOptions,
  sources: OpsSources,
): Promise<OpsServer> {
  const { status, metrics, shop } = sources;
  const read = {
    metrics: shareAnswers(metrics.render, freshMs),
    status: shareAnswers(status, freshMs),
    shop: shareAnswers(shop, freshMs),
  };
  const guards = [password === undefined ? requireOwnName : requirePassword(password)];
  const app = createApp(sources, read, guards);
  // The shop's client runs in this process too: leave the global Request and Response alone.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await listen(server, port, host);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: ServerType, port: number, host: string | undefined): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const reason =
      cause.code === 'EADDRINUSE' ? 'is already in use' : `is not available (${cause.code ?? cause.name})`;
    throw new TerminalError(`port ${port} ${reason}; set PORT to another`, { cause });
  });
}

type Readings = Pick<OpsSources, 'status' | 'shop'> & { readonly metrics: () => Promise<string> };

/**
 * @param read what the sources say, shared by all who ask
 * @param guards of all but the health checks, which say nothing of a shop: an orchestrator has no login, and names them as
 *   it likes
 */
function createApp(sources: OpsSources, read: Readings, guards: readonly MiddlewareHandler[]): Hono {
  const app = new Hono();
  app.use(plainHeaders);
  app.get('/livez', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const reason = await sources.unreadiness().catch(() => 'the database did not answer in time');
    return reason === undefined ? context.text('ok\n') : context.text(`${reason}\n`, 503);
  });
  app.use(...guards);
  app.get('/metrics', async (context) => {
    const text = await read.metrics();
    return context.body(text, 200, { 'content-type': sources.metrics.contentType });
  });
  app.get('/status.json', async (context) => context.json(await read.status()));
  app.route('/', servePages(read));
  app.onError((error, context) =>
    error instanceof HTTPException ? error.getResponse() : context.text(`${describeFailure(error)}\n`, 503),
  );
  return app;
}

/** Why there is no answer: a sentence without anything that an error may repeat. */
function describeFailure(error: unknown): string {
  if (error instanceof ReadTimeoutError) return error.message;
  if (isDatabaseError(error)) return `the database: ${databaseSentence(error)}`;
  return `this worker failed to answer (${error instanceof Error ? error.name : 'unknown error'})`;
}
