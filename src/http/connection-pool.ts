/** Requests over a pool of connections that are kept alive, each response in one piece. */
import * as zlib from 'node:zlib';

import { type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';

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

export type ConnectionPool = {
  /**
   * Follows no redirect.
   *
   * @throws what the network throws; an error that {@link isTooLarge} knows; the signal's reason as soon as it is aborted
   */
  send(request: PoolRequest, signal: AbortSignal): Promise<PoolResponse>;
};

/** Idle connections keep no process alive. How long a response may take is up to the caller. */
export function createConnectionPool({
  origin,
  connections,
  maxBodyBytes,
  proxy,
}: ConnectionPoolOptions): ConnectionPool {
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  const options = { ...timeouts, connections, pipelining: 1, allowH2: false, maxResponseSize: maxBodyBytes };
  const dispatcher = proxy ? new EnvHttpProxyAgent({ ...options, ...proxy }) : new Pool(origin, options);
  return {
    async send({ method, path, body = null, ...request }, signal) {
      const headers = { ...request.headers, 'accept-encoding': ACCEPT_ENCODING };
      const sent = { origin, method, path, headers, body };
      const response = await receive(dispatcher, sent, signal, maxBodyBytes);
      const codings = response.headers['content-encoding'];
      if (codings === undefined) return response;
      return { ...response, bytes: decodeContent(response.bytes, [codings].flat().join(), maxBodyBytes) };
    },
  };
}

/** Assembles one response. What is stopped may still be in the queue for a connection: its end is not waited for. */
function receive(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  maxBodyBytes: number,
): Promise<PoolResponse> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<PoolResponse>();
  const chunks: Uint8Array[] = [];
  let head: Omit<PoolResponse, 'bytes'> = { status: 0, headers: {} };
  let stop = () => reject(signal.reason);
  signal.addEventListener('abort', () => stop(), { once: true });
  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      stop = () => {
        controller.abort(new Error('the request was stopped'));
        reject(signal.reason);
      };
      if (signal.aborted) stop();
    },
    onResponseStart(controller, status, headers) {
      // Interim responses, such as early hints, are followed by the final one.
      head = { status, headers };
      // The pool's own limit is for what was received.
      if (Number(headers['content-length'] ?? 0) > maxBodyBytes)
        controller.abort(new errors.ResponseExceededMaxSizeError());
    },
    onResponseData: (_controller, chunk) => void chunks.push(chunk),
    onResponseEnd: () => resolve({ ...head, bytes: Buffer.concat(chunks) }),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise;
}

/** Whether a response was not read because it is too large. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof errors.ResponseExceededMaxSizeError) return true;
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/** What this client can decode. */
const ACCEPT_ENCODING = 'gzip, deflate, br';
/** Nobody needs more; each one multiplies the work. */
const MAX_CODINGS = 5;
type Bytes = PoolResponse['bytes'];

/**
 * Undoes the codings of a body, in this thread: parsing it takes as long, and handing it to another one twice that. A body
 * in a coding that is not known is left as it is.
 *
 * @throws what zlib throws for a body that is not in its coding, or larger than `maxBytes` without it
 */
function decodeContent(bytes: Bytes, contentEncoding: string, maxBytes: number): Bytes {
  const codings = contentEncoding.toLowerCase().split(',', MAX_CODINGS + 1);
  if (codings.length > MAX_CODINGS) throw new Error('too many content codings');
  let decoded: Bytes | undefined = bytes;
  for (const coding of codings.toReversed()) {
    decoded = undo(coding.trim(), decoded, maxBytes);
    if (decoded === undefined) return bytes;
  }
  return decoded;
}

/** As browsers do, accepts a stream without its end: whether JSON was truncated shows in the JSON. */
function undo(coding: string, bytes: Bytes, maxOutputLength: number): Bytes | undefined {
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
  if (coding === 'br') {
    return zlib.brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength });
  }
  if (!/^(x-)?gzip$|^deflate$/.test(coding)) return undefined;
  // Both forms of deflate are in use: the documented one begins with a header whose lower half is 8.
  const isRaw = coding === 'deflate' && ((bytes[0] ?? 0) & 0x0f) !== 8;
  const decode = isRaw ? zlib.inflateRawSync : zlib.unzipSync;
  return decode(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength });
}
