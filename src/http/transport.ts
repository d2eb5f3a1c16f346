import { ShapeError, TerminalError, TransientError } from '../errors.ts';
import { type Charset, decodeBody, latin1Text } from './charset.ts';
import { type ConnectionPool, isTooLarge, type PoolResponse } from './connection-pool.ts';
import { networkError } from './network-error.ts';
import type { HttpResponse } from './request.ts';

export type TransportOptions = {
  /** Scheme, host and port of the shop. */
  readonly origin: string;
  /** Sent with each request, besides its own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly pool: ConnectionPool;
  /** From the first byte sent to the last byte read. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  /** The charset of responses that name none and are not UTF-8: a label that `TextDecoder` knows. */
  readonly charset: string | undefined;
  /** Called with the host of a redirect that is not followed. */
  readonly onRedirect?: ((host: string) => void) | undefined;
};

/** A response without its body, which was read to its end and decoded beside it. */
type Received = HttpResponse & { readonly response: Response };

export type Transport = {
  /** The charset of the last response beyond ASCII; undefined before there was one. */
  readonly charset: Charset | undefined;
  /**
   * @param tooLargeAdvice what to do about a response that is too large
   * @throws TransientError, TerminalError, the signal's reason
   */
  send(request: Request, tooLargeAdvice: string, signal: AbortSignal | undefined): Promise<Received>;
};

/** Sends one request and reads its whole response, in time and within its size; the only place that touches the network. */
export function createTransport({ charset: setting, ...options }: TransportOptions): Transport {
  const { origin, timeoutMs, maxBodyBytes } = options;
  // An error page shows nothing of the charset of the shop's data.
  let charset: Charset | undefined;
  const decode = ({ status, headers: given, bytes }: PoolResponse): Received => {
    const response = new Response(null, { status, headers: toHeaders(given) });
    const { headers } = response;
    const isKnownUtf8 = charset?.name === 'utf-8';
    const decoded = decodeBody(bytes, { contentType: headers.get('content-type'), setting, isKnownUtf8 });
    if (decoded.kind === 'undecodable') {
      return { response, status, headers, text: latin1Text(bytes), undecodable: decoded.problem };
    }
    if (status <= 299) charset = decoded.charset ?? charset;
    return { response, status, headers, text: decoded.text, undecodable: undefined };
  };
  return {
    get charset() {
      return charset;
    },
    async send(request, tooLargeAdvice, signal) {
      signal?.throwIfAborted();
      // Neither ky's time-out nor `AbortSignal.timeout` would do: that one includes the wait for the shop, and this one
      // may be forgotten by the garbage collector.
      const stop = new AbortController();
      const onAbort = () => stop.abort(signal?.reason);
      const onTimeout = () => stop.abort(new TransientError(`no complete response within ${timeoutMs} ms`));
      const timer = setTimeout(onTimeout, timeoutMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return decode(await followRedirects(options, request, stop.signal));
      } catch (error) {
        stop.signal.throwIfAborted();
        if (error instanceof TerminalError || error instanceof TransientError) throw error;
        if (!isTooLarge(error)) throw networkError(error, new URL(origin).host);
        throw new ShapeError(`the response is larger than ${maxBodyBytes} bytes; ${tooLargeAdvice}`);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}

function toHeaders(given: PoolResponse['headers']): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in given) headers[name] = String(given[name] ?? '');
  return headers;
}

const MAX_REDIRECTS = 3;

/**
 * Sends a request, and sends it again wherever the shop redirects it to within its origin.
 *
 * @throws TerminalError where a redirect leads elsewhere, or round and round
 */
async function followRedirects(
  { pool, origin, onRedirect, ...options }: Omit<TransportOptions, 'charset'>,
  request: Request,
  signal: AbortSignal,
): Promise<PoolResponse> {
  const { method } = request;
  const headers = { ...options.headers, ...Object.fromEntries(request.headers) };
  const body = request.body === null ? undefined : await request.text();
  let path = request.url.slice(origin.length);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await pool.send({ method, path, headers, body }, signal);
    const { status } = response;
    if (status > 599) {
      throw new TransientError(`the shop answered HTTP ${status}, which is not a valid HTTP status`);
    }
    const location = [response.headers['location']].flat()[0];
    if (status < 300 || status > 399 || location === undefined) return response;
    const target = resolveRedirect(new URL(origin + path), location, onRedirect);
    path = target.pathname + target.search;
  }
  throw new TerminalError('the shop redirects in a loop; check SHOP_URL');
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
