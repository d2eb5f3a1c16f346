import { errors } from 'undici';

import { ShapeError, TerminalError, TransientError } from '../model/errors.ts';
import type { ConnectionPool, PoolResponse } from './connection-pool.ts';
import type { HttpNumbers, HttpOptions } from './http-options.ts';
import { networkError } from './network-error.ts';

export type TransportOptions = Pick<HttpNumbers, 'timeoutMs' | 'maxBodyBytes'> &
  Pick<HttpOptions<string>, 'headers' | 'onRedirect'> & {
    /** Scheme, host and port of the shop. */
    readonly origin: string;
    readonly pool: ConnectionPool;
  };

/** What went wrong while a response was received or unpacked. */
export function toFailure(
  error: unknown,
  { origin, timeoutMs, maxBodyBytes }: TransportOptions,
): TerminalError | TransientError {
  if (error instanceof TerminalError || error instanceof TransientError) return error;
  if (isTooLarge(error))
    return new ShapeError(
      `the response is larger than ${maxBodyBytes} bytes; check in the shop what makes it that large`,
    );
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return new TransientError(`no complete response within ${timeoutMs} ms`);
  return networkError(error, new URL(origin).host);
}

/** Whether a response was not read because it is too large, as it was sent or without its codings. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof errors.ResponseExceededMaxSizeError) return true;
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

const MAX_REDIRECTS = 3;

/**
 * Sends a request, and sends it again wherever the shop redirects it to within its origin.
 *
 * @throws TerminalError where a redirect leads elsewhere, or round and round; what the pool throws
 */
export async function transmit(
  { pool, origin, headers, onRedirect }: TransportOptions,
  request: Request,
  signal: AbortSignal | undefined,
): Promise<PoolResponse> {
  const { method } = request;
  const body = request.body === null ? undefined : await request.text();
  let path = request.url.slice(origin.length);
  let setsCookies = false;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const received = await pool.send({ method, path, headers, body }, signal);
    const { status } = received;
    if (status > 599) {
      throw new TransientError(`the shop answered HTTP ${status}, which is not a valid HTTP status`);
    }
    const location = received.headers.get('location');
    if (status < 300 || status > 399 || location === null) return received;
    const from = new URL(origin + path);
    const target = resolveRedirect(from, location, onRedirect);
    assertQueryKept(from, target);
    setsCookies ||= received.headers.get('set-cookie') !== null;
    path = target.pathname + target.search;
  }
  throw new TerminalError(
    setsCookies
      ? "the shop redirects in a loop and sets a cookie each time, as protections against robots do; cookies are not kept: have its rules let this machine's address through to the API"
      : 'the shop redirects in a loop; check SHOP_URL',
  );
}

/** Without its query a list would be another one than was asked for. */
function assertQueryKept(from: URL, target: URL): void {
  if ([...from.searchParams.keys()].every((name) => target.searchParams.has(name))) return;
  throw new TerminalError(
    'the shop redirects the request to an address without its query; set SHOP_URL to the address that answers without a redirect, or have the redirect keep the query',
  );
}

/** Credentials go to the configured origin alone. No host but that of the settings is repeated in an error: its name may be a person's. */
function resolveRedirect(from: URL, location: string, onRedirect: TransportOptions['onRedirect']): URL {
  // Headers come one character per byte; addresses are written in UTF-8.
  const target = URL.parse(Buffer.from(location, 'latin1').toString(), from);
  if (target?.origin === from.origin) return target;
  const isWeb = target?.protocol === 'http:' || target?.protocol === 'https:';
  if (!isWeb) {
    const kind = target === null ? 'invalid' : 'neither http nor https';
    throw new TerminalError(`the shop redirects to an address that is ${kind}; check SHOP_URL`);
  }
  onRedirect?.(target.host);
  throw new TerminalError(
    `the shop redirects to ${describePlace(from, target)}, where the credentials are not sent; if that is the shop's address, set SHOP_URL to it`,
  );
}

function describePlace(from: URL, target: URL): string {
  if (target.hostname === from.hostname) return target.origin;
  if (target.hostname === `www.${from.hostname}`) return 'its name with "www."';
  return from.hostname === `www.${target.hostname}` ? 'its name without "www."' : 'another host';
}
