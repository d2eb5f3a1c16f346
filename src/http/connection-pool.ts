/** Requests within the shop's origin, over connections that are kept alive, each response in one piece. */
import { Agent, EnvHttpProxyAgent, errors } from 'undici';

import { TerminalError } from '../model/errors.ts';
import { unlessAborted } from './clock.ts';
import type { ResponseLimits } from './network-error.ts';
import type { ResponseHead } from './request.ts';

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
export type PoolResponse = ResponseHead & {
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
    headersTimeout: timeoutMs,
    maxResponseSize: maxBodyBytes,
  };
  const agent = proxy ? new EnvHttpProxyAgent({ ...agentOptions, ...proxy }) : new Agent(agentOptions);
  return {
    async send({ body = null, ...request }, signal) {
      signal?.throwIfAborted();
      const sent = agent.request({ origin, body, ...request, signal: signal ?? null });
      // What is stopped may still be in the queue for a connection: its end is not waited for.
      const response = await unlessAborted(sent, signal);
      const headers = { get: (name: string) => headerText(response.headers[name]) };
      // undici's own limit is for the time between two parts: a body that trickles would keep its slot for ever.
      const timer = setTimeout(() => response.body.destroy(new errors.BodyTimeoutError()), timeoutMs);
      try {
        return { status: response.statusCode, headers, bytes: await response.body.bytes() };
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Several headers of one name are one list. */
const headerText = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value.join(', ') : (value ?? null);

const MAX_REDIRECTS = 3;

/**
 * Sends a request, and again wherever the shop redirects it to, within its origin. No host but that of the settings, with or
 * without "www.", is repeated in an error: its name may be a person's.
 *
 * @param onElsewhere called with the host of a redirect that is not followed
 * @throws TerminalError where a redirect leads elsewhere, or round and round; as the pool does
 */
export async function sendWithin(
  pool: ConnectionPool,
  start: URL,
  request: Omit<PoolRequest, 'path'>,
  onElsewhere: ((host: string) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<PoolResponse> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await pool.send({ ...request, path: url.pathname + url.search }, signal);
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    url = redirected(url, location, onElsewhere);
  }
  throw new TerminalError(
    "the shop redirects in a loop; check its address, and, where it sets a cookie each time as protections against robots do, have its rules let this machine's address through to the API",
  );
}

function redirected(from: URL, location: string, onElsewhere: ((host: string) => void) | undefined): URL {
  // Headers come one character per byte; addresses are written in UTF-8.
  const target = URL.parse(Buffer.from(location, 'latin1').toString(), from);
  if (target === null || !/^https?:$/.test(target.protocol)) {
    const kind = target === null ? 'invalid' : 'neither http nor https';
    throw new TerminalError(`the shop redirects to an address that is ${kind}; check its address`);
  }
  if (target.origin !== from.origin) {
    onElsewhere?.(target.host);
    const isOwn = withoutWww(target.hostname) === withoutWww(from.hostname);
    throw new TerminalError(
      `the shop redirects to ${isOwn ? target.origin : 'another host'}, where the credentials are not sent; if that is the shop's address, set it in the settings`,
    );
  }
  // Without its query a list would be another one than was asked for.
  if ([...from.searchParams.keys()].every((name) => target.searchParams.has(name))) return target;
  throw new TerminalError(
    'the shop redirects the request to an address without its query; set the address to the one that answers without a redirect, or have the redirect keep the query',
  );
}

const withoutWww = (hostname: string) => hostname.replace(/^www\./, '');
