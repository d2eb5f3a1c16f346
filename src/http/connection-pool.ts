/** Requests over a pool of connections that are kept alive, each response in one piece. */
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';

import { decodeContent } from './content-coding.ts';

export type ProxySettings = {
  /** For addresses that begin with `http:`; empty for none. */
  readonly httpProxy: string;
  /** For addresses that begin with `https:`; empty for the same as `httpProxy`. */
  readonly httpsProxy: string;
  /** Hosts that are reached without a proxy, as `NO_PROXY` lists them. */
  readonly noProxy: string;
};

export type ConnectionPoolOptions = {
  /** Scheme, host and port of the shop. */
  readonly origin: string;
  /** Connections at once. */
  readonly connections: number;
  /** Size of the largest body that is read, decoded or not. */
  readonly maxBodyBytes: number;
  /** @default none: the shop is reached directly */
  readonly proxy?: ProxySettings | undefined;
};

type PoolRequest = {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** A response read to its end. */
export type PoolResponse = {
  readonly status: number;
  /** By their names in lower case; one that came several times is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body without its content codings. */
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/** A body is larger than what is read. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

export type ConnectionPool = {
  /** Follows no redirect. @throws BodyTooLargeError, what the network throws; any error once the signal is aborted */
  send(request: PoolRequest, signal: AbortSignal): Promise<PoolResponse>;
};

/** Idle connections keep no process alive. */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { origin, maxBodyBytes } = options;
  const dispatcher = createDispatcher(options);
  return {
    async send({ method, path, headers, body = null }, signal) {
      const request = { origin, path, method, headers, body };
      const response = await receive(
        (handler) => dispatcher.dispatch(request, handler),
        signal,
        maxBodyBytes,
      );
      const codings = response.headers['content-encoding'];
      if (codings === undefined) return response;
      const bytes = decodeContent(response.bytes, [codings].flat().join(), maxBodyBytes);
      if (bytes === undefined) throw new BodyTooLargeError();
      return { ...response, bytes };
    },
  };
}

/** How long a response may take is up to the caller; in the pool it occupies one connection. */
function createDispatcher({ origin, connections, proxy }: ConnectionPoolOptions): Dispatcher {
  const options = { connections, pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
  return proxy ? new EnvHttpProxyAgent({ ...options, ...proxy }) : new Pool(origin, options);
}

/** Assembles one response. */
function receive(
  dispatch: (handler: Dispatcher.DispatchHandler) => void,
  signal: AbortSignal,
  maxBytes: number,
): Promise<PoolResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<PoolResponse>();
  const chunks: Uint8Array[] = [];
  const head: { status: number; headers: PoolResponse['headers'] } = { status: 0, headers: {} };
  let size = 0;
  dispatch({
    onRequestStart(controller) {
      const stop = () => controller.abort(new Error('the request was stopped'));
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    },
    onResponseStart(controller, status, headers) {
      // Interim responses, such as early hints, are followed by the final one.
      if (status < 200) return;
      Object.assign(head, { status, headers });
      if (Number(headers['content-length'] ?? 0) > maxBytes) controller.abort(new BodyTooLargeError());
    },
    onResponseData(controller, chunk) {
      size += chunk.byteLength;
      if (size > maxBytes) controller.abort(new BodyTooLargeError());
      else chunks.push(chunk);
    },
    onResponseEnd: () => resolve({ ...head, bytes: Buffer.concat(chunks, size) }),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise;
}
