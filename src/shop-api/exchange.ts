import ky, { type KyInstance } from 'ky';

import { TerminalError, TransientError } from '../errors.ts';
import { type Charset, decodeBody, latin1Text } from './charset.ts';
import { withDeadline } from './deadline.ts';
import { networkError } from './network-error.ts';
import type { ApiRequest } from './request.ts';
import { ShapeError } from './shape-error.ts';

export type Credentials = { readonly login: string; readonly apiKey: string };

/** An answer read to its end. */
export type Exchange = {
  readonly status: number;
  readonly headers: Headers;
  /** A byte that belongs to no character stands in it as a lone surrogate. */
  readonly text: string;
  /** Why the body could not be decoded, and what to do: then the text is a byte per character, and not to be kept. */
  readonly undecodable: string | undefined;
};

export type ExchangeOptions = Credentials & {
  /** The shop's address; the API lies below its `/adm/api/`. */
  readonly baseUrl: string;
  /** From the first byte sent to the last byte read. */
  readonly timeoutMs: number;
  /** Decoded size of the largest answer that is read. */
  readonly maxBodyBytes: number;
  /** The charset of answers that name none and are not UTF-8: a label that `TextDecoder` knows. */
  readonly charset: string | undefined;
};

export type ExchangePort = {
  /** What the last answer beyond ASCII was written in; undefined before there was one. */
  readonly charset: Charset | undefined;
  /** @throws TransientError, TerminalError, the signal's reason */
  send(request: ApiRequest<unknown>): Promise<Exchange>;
};

const MAX_REDIRECTS = 3;

/** Sends one request and reads its whole answer; the sole place that touches the network. */
export function createExchange(options: ExchangeOptions): ExchangePort {
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
  const onTimeout = () => new TransientError(`no whole answer within ${options.timeoutMs} ms`);
  const decode = createDecoder(options.charset);
  return {
    get charset() {
      return decode.charset;
    },
    async send(request) {
      const exchange = async (signal: AbortSignal): Promise<Exchange> => {
        const response = await send(client, urlOf(base, request), request, signal);
        const bytes = await readBytes(response, options.maxBodyBytes, signal, request.route === 'orders');
        return { status: response.status, headers: response.headers, ...decode.read(response, bytes) };
      };
      try {
        return await withDeadline(options.timeoutMs, request.signal, exchange, onTimeout);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (error instanceof TerminalError || error instanceof TransientError) throw error;
        throw networkError(error, new URL(base).host);
      }
    },
  };
}

/** Decodes bodies, and keeps what they told of the shop's charset: a page of errors tells nothing of its data. */
function createDecoder(setting: string | undefined) {
  let charset: Charset | undefined;
  return {
    get charset() {
      return charset;
    },
    read(response: Response, bytes: Uint8Array): Pick<Exchange, 'text' | 'undecodable'> {
      const contentType = response.headers.get('content-type');
      const isKnownUtf8 = charset?.name === 'utf-8';
      const decoded = decodeBody(bytes, { contentType, setting, isKnownUtf8 });
      if (decoded.kind === 'undecodable') return { text: latin1Text(bytes), undecodable: decoded.problem };
      if (response.ok) charset = decoded.charset ?? charset;
      return { text: decoded.text, undecodable: undefined };
    },
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
  const target = URL.parse(location, from);
  if (target === null) throw new TerminalError('the shop redirects to what is no address; check SHOP_URL');
  if (target.origin === from.origin) return target;
  if (!['http:', 'https:'].includes(target.protocol)) {
    throw new TerminalError('the shop redirects to an address that is not of the web; check SHOP_URL');
  }
  throw new TerminalError(
    `the shop redirects to ${target.origin}, where the credentials are not sent; if that is the shop's address, set SHOP_URL to it`,
  );
}

async function readBytes(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
  isList: boolean,
): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  // The body may not know of the signal any more. That it cannot be cancelled matters to nobody then.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > maxBytes) {
      cancel();
      const advice = isList ? 'lower SHOP_PAGE_LIMIT' : 'check that record in the shop';
      throw new ShapeError(`the answer is larger than ${maxBytes} bytes; ${advice}`);
    }
    chunks.push(value);
  }
}
