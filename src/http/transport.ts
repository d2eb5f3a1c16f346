import ky, { type KyInstance } from 'ky';

import { TerminalError, TransientError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { type Charset, decodeBody, latin1Text } from './charset.ts';
import { ACCEPT_ENCODING } from './content-coding.ts';
import { withDeadline } from './deadline.ts';
import { networkError } from './network-error.ts';
import type { ApiRequest } from './request.ts';
import { ShapeError } from './shape-error.ts';
import {
  BodyTooLargeError,
  createTransport,
  type ProxySettings,
  type Transport,
  type TransportAnswer,
} from './connection-pool.ts';

export type Credentials = { readonly login: string; readonly apiKey: string };

/** An answer read to its end. */
export type Exchange = {
  readonly status: number;
  /** @param name in small letters */
  readonly header: (name: string) => string | null;
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
  /** Requests in flight at once. */
  readonly maxConcurrency: number;
  /** Decoded size of the largest answer that is read. */
  readonly maxBodyBytes: number;
  /** The charset of answers that name none and are not UTF-8: a label that `TextDecoder` knows. */
  readonly charset: string | undefined;
  /** @default none: the shop is reached directly */
  readonly proxy?: ProxySettings | undefined;
  /** @default one with connections of its own */
  readonly transport?: Transport | undefined;
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
  const { maxBodyBytes, timeoutMs } = options;
  const { origin, host, pathname } = new URL(`${options.baseUrl.replace(/\/+$/, '')}/adm/api/`);
  const client = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });
  const headers = headersFor(options);
  const connections = options.maxConcurrency;
  const transport =
    options.transport ?? createTransport({ origin, connections, maxBodyBytes, proxy: options.proxy });
  const ask = requester(client, transport, headers);
  const onTimeout = () => new TransientError(`no whole answer within ${timeoutMs} ms`);
  const decode = createDecoder(options.charset);
  return {
    get charset() {
      return decode.charset;
    },
    async send(request) {
      const path = pathname + request.path + queryOf(request);
      const exchange = async (signal: AbortSignal): Promise<Exchange> => {
        const answer = await send(ask(request, signal), origin, path);
        return { status: answer.status, header: answer.header, ...decode.read(answer) };
      };
      try {
        return await withDeadline(timeoutMs, request.signal, exchange, onTimeout);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (error instanceof TerminalError || error instanceof TransientError) throw error;
        if (error instanceof BodyTooLargeError) throw tooLarge(maxBodyBytes, request);
        throw networkError(error, host);
      }
    },
  };
}

function headersFor({ login, apiKey }: Credentials): Readonly<Record<string, string>> {
  return {
    authorization: `Basic ${Buffer.from(`${login}:${apiKey}`).toString('base64')}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': ACCEPT_ENCODING,
    'user-agent': `order-sync/${VERSION}`,
  };
}

function queryOf({ query }: ApiRequest<unknown>): string {
  if (query === undefined) return '';
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}

function tooLarge(maxBytes: number, { route }: ApiRequest<unknown>): ShapeError {
  const advice = route === 'orders' ? 'lower SHOP_PAGE_LIMIT' : 'check that record in the shop';
  return new ShapeError(`the answer is larger than ${maxBytes} bytes; ${advice}`);
}

/** Decodes bodies, and keeps what they told of the shop's charset: a page of errors tells nothing of its data. */
function createDecoder(setting: string | undefined) {
  let charset: Charset | undefined;
  return {
    get charset() {
      return charset;
    },
    read({ status, header, bytes }: TransportAnswer): Pick<Exchange, 'text' | 'undecodable'> {
      const contentType = header('content-type');
      const isKnownUtf8 = charset?.name === 'utf-8';
      const decoded = decodeBody(bytes, { contentType, setting, isKnownUtf8 });
      if (decoded.kind === 'undecodable') return { text: latin1Text(bytes), undecodable: decoded.problem };
      if (status <= 299) charset = decoded.charset ?? charset;
      return { text: decoded.text, undecodable: undefined };
    },
  };
}

type Ask = (url: string, path: string) => Promise<TransportAnswer>;

/** Asks through ky, which is shown no more than the status: the body is handed past it, in one piece. */
function requester(
  client: KyInstance,
  transport: Transport,
  headers: Readonly<Record<string, string>>,
): (request: ApiRequest<unknown>, signal: AbortSignal) => Ask {
  return ({ method, body: json }, signal) => {
    const body = json && JSON.stringify(json);
    return async (url, path) => {
      const sent = Promise.withResolvers<TransportAnswer>();
      const fetch = async () => {
        const answer = await transport.send({ method, path, headers, body }, signal);
        sent.resolve(answer);
        return statusOnly(answer);
      };
      await client(url, { method, fetch });
      return sent.promise;
    };
  };
}

function statusOnly({ status }: TransportAnswer): Response {
  if (status > 599)
    throw new TransientError(`the shop answered HTTP ${status}, which is not a status of HTTP`);
  return new Response(null, { status });
}

async function send(ask: Ask, origin: string, firstPath: string): Promise<TransportAnswer> {
  let path = firstPath;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const url = origin + path;
    const answer = await ask(url, path);
    if (answer.status < 300 || answer.status > 399) return answer;
    const location = answer.header('location');
    if (location === null) return answer;
    const target = redirectTarget(new URL(url), location);
    path = target.pathname + target.search;
  }
  throw new TerminalError(`the shop redirects in a circle; check SHOP_URL`);
}

/** Credentials go to the configured origin alone. */
function redirectTarget(from: URL, location: string): URL {
  // Headers come a character for each byte; addresses are written in UTF-8.
  const target = URL.parse(Buffer.from(location, 'latin1').toString(), from);
  if (target === null) throw new TerminalError('the shop redirects to what is no address; check SHOP_URL');
  if (target.origin === from.origin) return target;
  if (!['http:', 'https:'].includes(target.protocol)) {
    throw new TerminalError('the shop redirects to an address that is not of the web; check SHOP_URL');
  }
  throw new TerminalError(
    `the shop redirects to ${target.origin}, where the credentials are not sent; if that is the shop's address, set SHOP_URL to it`,
  );
}
