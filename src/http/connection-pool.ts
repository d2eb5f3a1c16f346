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
  readonly method: 'GET' | 'POST';
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** A response read to its end. */
export type PoolResponse = {
  readonly status: number;
  /** @param name in lower case */
  readonly header: (name: string) => string | null;
  /** The body without its content codings. */
  readonly bytes: Uint8Array;
};

/** A body is larger than what is read. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

export type ConnectionPool = {
  /** Follows no redirect. @throws BodyTooLargeError, what the network throws, the signal's reason */
  send(request: PoolRequest, signal: AbortSignal): Promise<PoolResponse>;
};

/** Idle connections keep no process alive. */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { origin, maxBodyBytes } = options;
  const dispatcher = createDispatcher(options);
  return {
    async send({ method, path, headers, body = null }, signal) {
      const collector = new Collector(signal, maxBodyBytes);
      dispatcher.dispatch({ origin, path, method, headers, body }, collector);
      const response = await collector.response;
      const contentEncoding = response.header('content-encoding');
      if (contentEncoding === null) return response;
      const bytes = await decodeContent(response.bytes, contentEncoding, maxBodyBytes);
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
class Collector implements Dispatcher.DispatchHandler {
  readonly response: Promise<PoolResponse>;
  readonly #resolve: (response: PoolResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #status = 0;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};

  constructor(signal: AbortSignal, maxBytes: number) {
    const { promise, resolve, reject } = Promise.withResolvers<PoolResponse>();
    this.response = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    this.#maxBytes = maxBytes;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const signal = this.#signal;
    if (signal.aborted) return controller.abort(toError(signal.reason));
    signal.addEventListener('abort', () => controller.abort(toError(signal.reason)), { once: true });
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Interim responses, such as early hints, are followed by the final one.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (Number(headers['content-length'] ?? 0) > this.#maxBytes) controller.abort(new BodyTooLargeError());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#size += chunk.byteLength;
    if (this.#size > this.#maxBytes) controller.abort(new BodyTooLargeError());
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const headers = this.#headers;
    const [first] = this.#chunks;
    const bytes =
      first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#size);
    const header = (name: string) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : (value ?? null);
    };
    this.#resolve({ status: this.#status, header, bytes });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('the request was stopped', { cause: reason });
}
