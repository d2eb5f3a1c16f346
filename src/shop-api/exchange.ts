import ky, { type KyInstance } from 'ky';

import { TerminalError, TransientError } from '../errors.ts';
import type { ApiRequest } from './request.ts';
import { ShapeError } from './shape-error.ts';

export type Credentials = { readonly login: string; readonly apiKey: string };

/** An answer read to its end. */
export type Exchange = { readonly status: number; readonly headers: Headers; readonly text: string };

export type ExchangeOptions = Credentials & {
  /** The shop's address; the API lies below its `/adm/api/`. */
  readonly baseUrl: string;
  /** From the first byte sent to the last byte read. */
  readonly timeoutMs: number;
  /** Decoded size of the largest answer that is read. */
  readonly maxBodyBytes: number;
};

const MAX_REDIRECTS = 3;

/** Sends one request and reads its whole answer; the sole place that touches the network. */
export function createExchange(
  options: ExchangeOptions,
): (request: ApiRequest<unknown>) => Promise<Exchange> {
  const credentials = Buffer.from(`${options.login}:${options.apiKey}`).toString('base64');
  const client = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    redirect: 'manual',
    headers: {
      authorization: `Basic ${credentials}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
  });
  const base = `${options.baseUrl.replace(/\/+$/, '')}/adm/api/`;
  return async (request) => {
    const deadline = AbortSignal.timeout(options.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    try {
      const response = await send(client, urlOf(base, request), request, signal);
      const text = await readText(response, options.maxBodyBytes);
      return { status: response.status, headers: response.headers, text };
    } catch (error) {
      request.signal?.throwIfAborted();
      if (error instanceof TerminalError || error instanceof TransientError) throw error;
      if (deadline.aborted) throw new TransientError(`no whole answer within ${options.timeoutMs} ms`);
      throw new TransientError(networkSentence(error, new URL(base).host), { cause: withoutRequest(error) });
    }
  };
}

function urlOf(base: string, request: ApiRequest<unknown>): URL {
  const url = new URL(base + request.path);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

async function send(
  client: KyInstance,
  first: URL,
  request: ApiRequest<unknown>,
  signal: AbortSignal,
): Promise<Response> {
  let url = first;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const body = request.method === 'POST' && request.body ? { body: JSON.stringify(request.body) } : {};
    const response = await client(url, { method: request.method, signal, ...body });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    url = redirectTarget(url, location);
  }
  throw new TerminalError(`the shop redirects in a circle; check SHOP_URL`);
}

/** Credentials go to the configured origin alone. */
function redirectTarget(from: URL, location: string): URL {
  const target = new URL(location, from);
  if (target.origin === from.origin) return target;
  throw new TerminalError(
    `the shop redirects to ${target.origin}, where the credentials are not sent; if that is the shop's address, set SHOP_URL to it`,
  );
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new ShapeError(`the answer is larger than ${maxBytes} bytes; lower SHOP_PAGE_LIMIT`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The library's error carries the request with its Authorization header; only the network's own cause is kept. */
function withoutRequest(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

const NETWORK_SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; check SHOP_URL, and that the shop is up',
  ENOTFOUND: 'its name is unknown; check SHOP_URL and the DNS of this machine',
  EAI_AGAIN: 'its name could not be looked up now; check the DNS of this machine',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection broke off',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out; check SHOP_URL and firewalls',
  EHOSTUNREACH: 'there is no route to it',
};

function networkSentence(error: unknown, host: string): string {
  const code = networkCode(error);
  const known = code === undefined ? undefined : NETWORK_SENTENCES[code];
  if (known !== undefined) return `${host} was not reached: ${known}`;
  if (code !== undefined && /CERT|TLS|SSL|SELF_SIGNED|ALTNAME/.test(code)) {
    return `the TLS certificate of ${host} is not trusted (${code})`;
  }
  return `${host} was not reached (${code ?? 'the connection failed'})`;
}

function networkCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    if (cause instanceof AggregateError && cause.errors.length > 0) return networkCode(cause.errors[0]);
  }
  return undefined;
}
