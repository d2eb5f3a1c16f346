/** Requests over connections that are kept alive, each response in one piece. */
import { Agent, type Dispatcher, EnvHttpProxyAgent, errors } from 'undici';

import type { ResponseLimits } from './network-error.ts';

export type ProxySettings = {
  /** For addresses that begin with `http:`; empty for none. */
  readonly httpProxy: string;
  /** For addresses that begin with `https:`; empty for the same as `httpProxy`. */
  readonly httpsProxy: string;
  /** Hosts that are reached without a proxy, as `NO_PROXY` lists them. */
  readonly noProxy: string;
};

export type ConnectionPoolOptions = ResponseLimits & {
  /** Connections at once. */
  readonly connections: number;
  /** @default none: the shop is reached directly */
  readonly proxy?: ProxySettings | undefined;
};

type PoolRequest = {
  readonly method: 'GET' | 'POST';
  /** Path and query, percent-encoded. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** A response received to its end. */
export type PoolResponse = {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  /** The body as it was sent, its content codings included. */
  readonly bytes: Uint8Array;
};

export type ConnectionPool = {
  /**
   * Follows no redirect.
   *
   * @throws what the network throws, undici's errors, the signal's reason as soon as it is aborted
   */
  send(request: PoolRequest, signal: AbortSignal | undefined): Promise<PoolResponse>;
};

/** Idle connections keep no process alive. */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { baseUrl, connections, timeoutMs, maxBodyBytes, proxy } = options;
  const { origin } = new URL(baseUrl);
  const agentOptions = {
    connections,
    pipelining: 1,
    allowH2: false,
    // Whole milliseconds alone.
    headersTimeout: Math.ceil(timeoutMs),
    bodyTimeout: Math.ceil(timeoutMs),
    maxResponseSize: maxBodyBytes,
  };
  const agent = proxy ? new EnvHttpProxyAgent({ ...agentOptions, ...proxy }) : new Agent(agentOptions);
  return {
    send: ({ body = null, ...request }, signal) =>
      receive(agent, { origin, body, ...request }, options, signal),
  };
}

/** Assembles one response. What is stopped may still be in the queue for a connection: its end is not waited for. */
function receive(
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, maxBodyBytes }: ConnectionPoolOptions,
  signal: AbortSignal | undefined,
): Promise<PoolResponse> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<PoolResponse>();
  const chunks: Uint8Array[] = [];
  let head: Omit<PoolResponse, 'bytes'> = { status: 0, headers: { get: () => null } };
  let [abort, endMs] = [(_error: Error) => undefined as void, Infinity];
  const onAbort = () => {
    abort(new Error('the request was stopped'));
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort);
  agent.dispatch(request, {
    onRequestStart(controller) {
      abort = (error) => controller.abort(error);
      if (signal?.aborted === true) onAbort();
    },
    onResponseStart(controller, status, headers) {
      // Interim responses, such as early hints, are followed by the final one.
      head = { status, headers: { get: (name) => headerText(headers[name]) } };
      endMs = performance.now() + timeoutMs;
      // undici's own limit is for what was received.
      if (Number(headers['content-length'] ?? 0) > maxBodyBytes)
        controller.abort(new errors.ResponseExceededMaxSizeError());
    },
    onResponseData(controller, chunk) {
      chunks.push(chunk);
      // undici's own limit is for the time between two parts.
      if (performance.now() > endMs) controller.abort(new errors.BodyTimeoutError());
    },
    onResponseEnd: () => resolve({ ...head, bytes: Buffer.concat(chunks) }),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise.finally(() => signal?.removeEventListener('abort', onAbort));
}

/** Several headers of one name are one list. */
const headerText = (value: string | readonly string[] = []) =>
  typeof value === 'string' ? value : value.length === 0 ? null : value.join(', ');
