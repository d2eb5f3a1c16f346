import { ShapeError, TerminalError, TransientError } from '../errors.ts';
import { type ConnectionPool, isTooLarge, type PoolResponse } from './connection-pool.ts';
import type { HttpNumbers, HttpOptions } from './http-options.ts';
import { networkError } from './network-error.ts';

export type TransportOptions = Pick<HttpNumbers, 'timeoutMs' | 'maxBodyBytes'> &
  Pick<HttpOptions<string>, 'onRedirect'> & {
    /** Scheme, host and port of the shop. */
    readonly origin: string;
    readonly pool: ConnectionPool;
  };

/**
 * Sends one request and receives its whole response, in time and within its size; the only place that touches the network.
 *
 * @param tooLargeAdvice what to do about a response that is too large
 * @throws TransientError, TerminalError, the signal's reason
 */
export async function transmit(
  options: TransportOptions,
  request: Request,
  tooLargeAdvice: string,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { origin, timeoutMs, maxBodyBytes } = options;
  signal?.throwIfAborted();
  // Neither ky's time-out nor `AbortSignal.timeout` would do: that one includes the wait for the shop, and this one may be
  // forgotten by the garbage collector.
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal?.reason);
  const onTimeout = () => stop.abort(new TransientError(`no complete response within ${timeoutMs} ms`));
  const timer = setTimeout(onTimeout, timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await followRedirects(options, request, stop.signal);
  } catch (error) {
    stop.signal.throwIfAborted();
    if (error instanceof TerminalError || error instanceof TransientError) throw error;
    if (!isTooLarge(error)) throw networkError(error, new URL(origin).host);
    throw new ShapeError(`the response is larger than ${maxBodyBytes} bytes; ${tooLargeAdvice}`);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

const MAX_REDIRECTS = 3;

/**
 * Sends a request, and sends it again wherever the shop redirects it to within its origin.
 *
 * @throws TerminalError where a redirect leads elsewhere, or round and round
 */
async function followRedirects(
  { pool, origin, onRedirect }: TransportOptions,
  request: Request,
  signal: AbortSignal,
): Promise<Response> {
  const { method } = request;
  const headers = Object.fromEntries(request.headers);
  const body = request.body === null ? undefined : await request.text();
  let path = request.url.slice(origin.length);
  let setsCookies = false;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const received = await pool.send({ method, path, headers, body }, signal);
    const { status } = received;
    if (status > 599) {
      throw new TransientError(`the shop answered HTTP ${status}, which is not a valid HTTP status`);
    }
    const location = [received.headers['location']].flat()[0];
    if (status < 300 || status > 399 || location === undefined) return toResponse(received);
    const from = new URL(origin + path);
    const target = resolveRedirect(from, location, onRedirect);
    assertQueryKept(from, target);
    setsCookies ||= received.headers['set-cookie'] !== undefined;
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

function toResponse({ status, headers, bytes }: PoolResponse): Response {
  const response = new Response([204, 205, 304].includes(status) ? null : bytes, { status });
  for (const [name, value] of Object.entries(headers)) response.headers.append(name, String(value ?? ''));
  // It has come whole, and ky's hook alone reads it: a copy for the hook would only split a stream in two.
  return Object.assign(response, { clone: () => response });
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
