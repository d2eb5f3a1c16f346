import { once } from 'node:events';

import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { Registry } from 'prom-client';

import { TerminalError } from '../model/errors.ts';
import type { ShopDetails } from '../sync/report/shop-details.ts';
import { toSentence } from '../sync/run/run-record.ts';
import { requireOwnName, requirePassword, safeHeaders } from './status-page/ops-access.ts';
import { servePages } from './status-page/serve-pages.ts';
import type { ShopStatusJson } from '../sync/report/shop-report.ts';

/** What the server reports, read at every request. Each source gives up by itself, so that a hanging database hangs no health check. */
export type OpsSources = {
  /** @returns a sentence saying why the worker is not ready, or undefined if it is */
  readonly unreadiness: () => Promise<string | undefined>;
  /** In Prometheus' text format. */
  readonly metrics: () => Promise<string>;
  /** What `order-sync status --json` prints, for each shop. */
  readonly status: () => Promise<readonly ShopStatusJson[]>;
  /** What the page of one shop shows; undefined where there is none of that key. */
  readonly shop: (shopKey: string) => Promise<ShopDetails | undefined>;
};

export type OpsServerOptions = {
  /** 0 is any free one. */
  readonly port: number;
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
  { port, password, freshMs = FRESH_MS }: OpsServerOptions,
  sources: OpsSources,
): Promise<OpsServer> {
  const { status, metrics, shop } = sources;
  const shared = {
    ...sources,
    status: shareAnswers(status, freshMs),
    shop: shareAnswers(shop, freshMs),
    metrics: shareAnswers(metrics, freshMs),
  };
  const app = createApp(shared, password === undefined ? requireOwnName : requirePassword(password));
  // The shop's client runs in this process too: leave the global Request and Response alone.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  await listen(server, port);
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

async function listen(server: ServerType, port: number): Promise<void> {
  server.listen(port);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const reason =
      cause.code === 'EADDRINUSE' ? 'is already in use' : `is not available (${cause.code ?? cause.name})`;
    throw new TerminalError(`port ${port} ${reason}; set PORT to another`, { cause });
  });
}

/**
 * @param guard of all but the health checks, which say nothing of a shop: an orchestrator has no login, and names them as
 *   it likes
 */
function createApp(sources: OpsSources, guard: MiddlewareHandler): Hono {
  const app = new Hono();
  app.use(safeHeaders);
  app.get('/livez', (context) => context.text('ok\n'));
  app.get('/readyz', async (context) => {
    const reason = await sources.unreadiness().catch(() => 'the database did not answer in time');
    return reason === undefined ? context.text('ok\n') : context.text(`${reason}\n`, 503);
  });
  app.use(guard);
  app.get('/metrics', async (context) =>
    context.body(await sources.metrics(), 200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }),
  );
  app.get('/status.json', async (context) => context.json(await sources.status()));
  app.route('/', servePages(sources));
  app.onError((error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    return context.text(`${toSentence(error)}\n`, 503);
  });
  return app;
}

/**
 * One answer for all who ask the same at the same time, or shortly after: a page that many people watch, or a scrape, costs
 * the database no more than one of them. A failure is an answer too.
 *
 * @param freshMs how long an answer is given to others
 */
export function shareAnswers<Answer>(
  read: (key: string) => Promise<Answer>,
  freshMs: number,
): (key?: string) => Promise<Answer> {
  const shared = new Map<string, Promise<Answer>>();
  return (key = '') => {
    const known = shared.get(key);
    if (known !== undefined) return known;
    const answer = read(key);
    shared.set(key, answer);
    const forget = () => void setTimeout(() => shared.delete(key), freshMs).unref();
    answer.then(forget, forget);
    return answer;
  };
}
