import { TerminalError, TransientError } from '../errors.ts';
import { readAnswer } from './answer.ts';
import { createExchange, type Credentials } from './exchange.ts';
import { createLimiter } from './limiter.ts';
import type { ApiRequest, Route } from './request.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from './retry.ts';
import { ShapeError } from './shape-error.ts';

export type HttpOptions = Credentials & {
  /** The shop's address, such as `https://shop.example`; the API lies below its `/adm/api/`. */
  readonly baseUrl: string;
  /** Requests in flight at once. @default 4 */
  readonly maxConcurrency?: number;
  /** Requests started per second. @default 10 */
  readonly maxRps?: number;
  /** For one try, to the last byte of the answer. @default 30_000 */
  readonly timeoutMs?: number;
  /** Decoded size of the largest answer that is read. @default 32 MiB */
  readonly maxBodyBytes?: number;
  readonly retry?: RetryPolicy;
};

/** Requests sent so far, every try counted, and the tries that were not the first. */
export type RequestCounts = Readonly<Record<Route, number>> & { readonly retries: number };

export type Http = {
  readonly counts: RequestCounts;
  send<Answer>(request: ApiRequest<Answer>): Promise<Answer>;
};

/** One shop's HTTP: a limiter around each try, and one retry loop around request, body and shape together. */
export function createHttp(options: HttpOptions): Http {
  const limiter = createLimiter(options.maxConcurrency ?? 4, options.maxRps ?? 10);
  const exchange = createExchange({
    ...options,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1024 * 1024,
  });
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const counts = { orders: 0, content: 0, user: 0, groups: 0, auth: 0, retries: 0 };

  const attempt = <Answer>(request: ApiRequest<Answer>) =>
    limiter.run(async () => {
      counts[request.route]++;
      return readAnswer(await exchange(request), request.schema, Temporal.Now.instant());
    }, request.signal);

  return {
    counts,
    async send(request) {
      try {
        return await withRetry(
          () => attempt(request),
          retry,
          request.signal,
          () => counts.retries++,
        );
      } catch (error) {
        throw named(error, request);
      }
    },
  };
}

/** Puts before the sentence what was asked for; keys in the path may be personal, so only the route is named. */
function named(error: unknown, { method, route }: ApiRequest<unknown>): unknown {
  const what = `${method} ${ROUTE_PATHS[route]}`;
  if (error instanceof ShapeError) return new ShapeError(`${what}: ${error.message}`, error);
  if (error instanceof TerminalError) return new TerminalError(`${what}: ${error.message}`, error);
  if (error instanceof TransientError) return new TransientError(`${what}: ${error.message}`, error);
  return error;
}

const ROUTE_PATHS: Readonly<Record<Route, string>> = {
  orders: '/orders',
  content: '/orders/ID',
  user: '/users/KEY',
  groups: '/groups',
  auth: '/auth',
};
