/** Sending responses: charset, compression, byte order mark, errors in the shop's dialect. */
import { gzipSync } from 'node:zlib';

import type { MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

import { type ApiContext, type Faults, HTML_PAGE } from './simulated-faults.ts';
import type { RequestLog } from './request-log.ts';
import type { RequestChance } from '../shop/random.ts';
import type { SimulatedShop } from '../shop/simulated-shop.ts';
import type { Dialect } from '../shop/dialect.ts';
import type { RowWriter } from './wire-order.ts';
import { wireValues } from './wire-values.ts';

/** Of the administrator. */
export const LOGIN = 'admin';

export type ApiDeps = {
  readonly shop: SimulatedShop;
  readonly writer: RowWriter;
  readonly faults: Faults;
  readonly requests: RequestLog;
  /** Between shop and client, such as a cache. */
  readonly between: MiddlewareHandler | undefined;
  readonly apiKey: string;
  readonly latencyMs: number;
  readonly pages: PageLimits;
  readonly chance: RequestChance;
};

/** What a page is cut to, whatever its `limit`; may change while the shop is served. */
type PageLimits = {
  /** Rows. */
  cap: number | undefined;
  /** Of the rows' JSON, where the dialect ends pages by bytes. */
  bytes: number;
};

const BYTE_ORDER_MARK = '\uFEFF';

/** Responds with JSON text as the dialect sends it. */
export function sendJson(
  c: ApiContext,
  { shop }: ApiDeps,
  json: string,
  status: ContentfulStatusCode = 200,
): Response {
  const { charset, bom, gzip } = shop.dialect;
  const whole = (bom && charset === 'utf-8' ? BYTE_ORDER_MARK : '') + json;
  const text = c.get('isTextCut') === true ? whole.slice(0, Math.floor(whole.length * 0.6)) : whole;
  const label = charset === 'windows-1251-unlabelled' ? '' : `; charset=${charset}`;
  const headers = { 'Content-Type': `application/json${label}` };
  if (!gzip || c.req.header('Accept-Encoding')?.includes('gzip') !== true) {
    return c.body(charset === 'utf-8' ? text : encodeText(text, charset), status, headers);
  }
  const packed = new Uint8Array(gzipSync(encodeText(text, charset), { level: 1 }));
  return c.body(packed, status, { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
}

/** Responds with an error as the dialect has it: a message, with the matching status or 200. */
export function sendError(
  c: ApiContext,
  deps: ApiDeps,
  status: ContentfulStatusCode,
  message: string,
): Response {
  const { errors } = deps.shop.dialect;
  return sendJson(c, deps, JSON.stringify({ message }), errors === 'status' ? status : 200);
}

/** A list as it is, or its first half when a fault cut it. */
export function cutList<Item>(c: ApiContext, items: readonly Item[]): readonly Item[] {
  return c.get('isListCut') === true ? items.slice(0, Math.floor(items.length / 2)) : items;
}

const UNKNOWN = '?'.charCodeAt(0);
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const CODES: ReadonlyMap<string, number> = new Map(
  Array.from(new TextDecoder('windows-1251').decode(BYTES), (character, byte) => [character, byte]),
);

/** Text as bytes. A character that windows-1251 lacks becomes a question mark there. */
function encodeText(text: string, charset: Dialect['charset']): Uint8Array<ArrayBuffer> {
  if (charset === 'utf-8') return new TextEncoder().encode(text);
  return Uint8Array.from(text, (character) => CODES.get(character) ?? UNKNOWN);
}

/** The order or user does not exist. */
export function sendUnknown(c: ApiContext, deps: ApiDeps, kind: 'order' | 'user'): Response {
  const { dialect } = deps.shop;
  const send = (fields: object) => sendJson(c, deps, JSON.stringify(fields));
  const { whole } = wireValues(dialect);
  const message = kind === 'order' ? 'Order not found' : 'User not found';
  const ordercontent: readonly never[] = [];
  const content = dialect.content === 'nested' ? { content: { ordercontent } } : { ordercontent };
  const answers: Readonly<Record<Dialect['unknownOrder' | 'unknownUser'], () => Response>> = {
    '404': () => sendError(c, deps, 404, `no such ${kind}`),
    '400': () => sendError(c, deps, 400, `no such ${kind}`),
    'success-0': () => send({ success: whole(0) }),
    'success-0-message': () => send({ message, success: whole(0) }),
    'empty-content': () => send({ ...content, success: whole(1) }),
    empty: () => send([]),
    html: () => c.html(HTML_PAGE),
  };
  return answers[kind === 'order' ? dialect.unknownOrder : dialect.unknownUser]();
}

/** The record exists, but may not be read, unlike the others of its kind. */
export function sendRefusal(c: ApiContext, deps: ApiDeps): Response {
  return sendError(c, deps, 403, 'access denied');
}
