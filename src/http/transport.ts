/** Requests within the shop's origin, sent again wherever the shop redirects them to. */
import { TerminalError } from '../model/errors.ts';
import type { ConnectionPool, PoolResponse } from './connection-pool.ts';
import type { HttpOptions } from './http-options.ts';
import { type ResponseLimits, toFailure } from './network-error.ts';

export type Transport = Pick<HttpOptions<string>, 'baseUrl' | 'headers' | 'onRedirect'> &
  ResponseLimits & { readonly pool: ConnectionPool };

const MAX_REDIRECTS = 3;

/**
 * Sends a request, and follows redirects.
 *
 * @throws TerminalError where a redirect leads elsewhere, or round and round; TransientError, ShapeError without a whole response
 */
export async function transmit(
  transport: Transport,
  wire: Request,
  signal: AbortSignal | undefined,
): Promise<PoolResponse> {
  const { pool, headers, onRedirect } = transport;
  const method = wire.method === 'POST' ? 'POST' : 'GET';
  const body = wire.body === null ? undefined : await wire.text();
  let url = new URL(wire.url);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const path = url.pathname + url.search;
    const response = await pool.send({ method, path, headers, body }, signal).catch((error: unknown) => {
      throw toFailure(error, transport);
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    url = redirected(url, location, onRedirect);
  }
  throw new TerminalError(
    "the shop redirects in a loop; check SHOP_URL, and, where it sets a cookie each time as protections against robots do, have its rules let this machine's address through to the API",
  );
}

/**
 * Where a redirect leads to. Credentials go to the configured origin alone. No host but that of the settings, with or without
 * "www.", is repeated in an error: its name may be a person's.
 */
function redirected(from: URL, location: string, onRedirect: Transport['onRedirect']): URL {
  // Headers come one character per byte; addresses are written in UTF-8.
  const target = URL.parse(Buffer.from(location, 'latin1').toString(), from);
  if (target === null || !/^https?:$/.test(target.protocol)) {
    const kind = target === null ? 'invalid' : 'neither http nor https';
    throw new TerminalError(`the shop redirects to an address that is ${kind}; check SHOP_URL`);
  }
  if (target.origin !== from.origin) {
    onRedirect?.(target.host);
    const isOwn = withoutWww(target.hostname) === withoutWww(from.hostname);
    throw new TerminalError(
      `the shop redirects to ${isOwn ? target.origin : 'another host'}, where the credentials are not sent; if that is the shop's address, set SHOP_URL to it`,
    );
  }
  // Without its query a list would be another one than was asked for.
  if ([...from.searchParams.keys()].every((name) => target.searchParams.has(name))) return target;
  throw new TerminalError(
    'the shop redirects the request to an address without its query; set SHOP_URL to the address that answers without a redirect, or have the redirect keep the query',
  );
}

const withoutWww = (hostname: string) => hostname.replace(/^www\./, '');
