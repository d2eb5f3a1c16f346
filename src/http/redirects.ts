import { TerminalError } from '../errors.ts';
import type { PoolResponse } from './connection-pool.ts';

const MAX_REDIRECTS = 3;

/** Sends a request to a path of the shop; `url` is the same with its origin. */
export type SendTo = (url: string, path: string) => Promise<PoolResponse>;

/**
 * Sends a request, and sends it again wherever the shop redirects it to within its origin.
 *
 * @param firstPath path and query
 * @throws TerminalError where a redirect leads elsewhere, or round and round
 */
export async function followRedirects(
  send: SendTo,
  origin: string,
  firstPath: string,
): Promise<PoolResponse> {
  let path = firstPath;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const url = origin + path;
    const response = await send(url, path);
    if (response.status < 300 || response.status > 399) return response;
    const location = response.header('location');
    if (location === null) return response;
    const target = resolveRedirect(new URL(url), location);
    path = target.pathname + target.search;
  }
  throw new TerminalError('the shop redirects in a loop; check SHOP_URL');
}

/** Credentials go to the configured origin alone. */
function resolveRedirect(from: URL, location: string): URL {
  // Headers come one character per byte; addresses are written in UTF-8.
  const target = URL.parse(Buffer.from(location, 'latin1').toString(), from);
  if (target === null) throw new TerminalError('the shop redirects to an invalid address; check SHOP_URL');
  if (target.origin === from.origin) return target;
  if (!['http:', 'https:'].includes(target.protocol)) {
    throw new TerminalError(
      'the shop redirects to an address that is neither http nor https; check SHOP_URL',
    );
  }
  throw new TerminalError(
    `the shop redirects to ${target.origin}, where the credentials are not sent; if that is the shop's address, set SHOP_URL to it`,
  );
}
