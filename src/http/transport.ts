import ky, { type KyInstance } from 'ky';

import { ShapeError, TerminalError, TransientError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { Charset } from './charset.ts';
import {
  BodyTooLargeError,
  type ConnectionPool,
  createConnectionPool,
  type PoolResponse,
  type ProxySettings,
} from './connection-pool.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import { withDeadline } from './deadline.ts';
import { networkError } from './network-error.ts';
import { followRedirects, type SendTo } from './redirects.ts';
import type { HttpRequest, RoutePolicies } from './request.ts';
import type { HttpResponse } from './response.ts';
import { createResponseDecoder } from './response-decoder.ts';

export type TransportOptions<Route extends string> = {
  /** What all paths are appended to; it ends with a slash. */
  readonly baseUrl: string;
  /** Sent with each request, such as credentials; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly routes: RoutePolicies<Route>;
  /** From the first byte sent to the last byte read. */
  readonly timeoutMs: number;
  /** Requests in flight at once. */
  readonly maxConcurrency: number;
  /** Decoded size of the largest response that is read. */
  readonly maxBodyBytes: number;
  /** The charset of responses that name none and are not UTF-8: a label that `TextDecoder` knows. */
  readonly charset: string | undefined;
  /** @default none: the shop is reached directly */
  readonly proxy?: ProxySettings | undefined;
  /** @default connections of its own */
  readonly pool?: ConnectionPool | undefined;
};

export type Transport<Route extends string> = {
  /** The charset of the last response beyond ASCII; undefined before there was one. */
  readonly charset: Charset | undefined;
  /** @throws TransientError, TerminalError, the signal's reason */
  send(request: HttpRequest<Route, unknown>): Promise<HttpResponse>;
};

/** Sends one request and reads its whole response; the only place that touches the network. */
export function createTransport<Route extends string>(options: TransportOptions<Route>): Transport<Route> {
  const { maxBodyBytes, timeoutMs, maxConcurrency: connections, routes, proxy } = options;
  const { origin, host, pathname } = new URL(options.baseUrl);
  const client = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });
  const headers = { ...COMMON_HEADERS, ...options.headers };
  const pool = options.pool ?? createConnectionPool({ origin, connections, maxBodyBytes, proxy });
  const onTimeout = () => new TransientError(`no complete response within ${timeoutMs} ms`);
  const decoder = createResponseDecoder(options.charset);
  return {
    get charset() {
      return decoder.charset;
    },
    async send(request) {
      const path = pathname + request.path + toQueryString(request.query);
      const send = async (signal: AbortSignal): Promise<HttpResponse> =>
        decoder.decode(await followRedirects(sender(client, pool, headers, request, signal), origin, path));
      try {
        return await withDeadline(timeoutMs, request.signal, send, onTimeout);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (error instanceof TerminalError || error instanceof TransientError) throw error;
        if (error instanceof BodyTooLargeError) {
          const advice = routes[request.route].tooLargeAdvice;
          throw new ShapeError(`the response is larger than ${maxBodyBytes} bytes; ${advice}`);
        }
        throw networkError(error, host);
      }
    },
  };
}

const COMMON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': ACCEPT_ENCODING,
  'user-agent': `order-sync/${VERSION}`,
};

function toQueryString(query: Readonly<Record<string, string | number | undefined>> | undefined): string {
  if (query === undefined) return '';
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/** Sends through ky, which is shown no more than the status: the body is handed past it, in one piece. */
function sender(
  client: KyInstance,
  pool: ConnectionPool,
  headers: Readonly<Record<string, string>>,
  { method, body: json }: Pick<HttpRequest<string, unknown>, 'method' | 'body'>,
  signal: AbortSignal,
): SendTo {
  const body = json && JSON.stringify(json);
  return async (url, path) => {
    const sent = Promise.withResolvers<PoolResponse>();
    const fetch = async () => {
      const response = await pool.send({ method, path, headers, body }, signal);
      sent.resolve(response);
      return statusOnly(response);
    };
    await client(url, { method, fetch });
    return sent.promise;
  };
}

function statusOnly({ status }: PoolResponse): Response {
  if (status > 599) {
    throw new TransientError(`the shop answered HTTP ${status}, which is not a valid HTTP status`);
  }
  return new Response(null, { status });
}
