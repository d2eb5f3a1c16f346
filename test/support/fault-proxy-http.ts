/** As much HTTP as a way station needs: whole requests out of a socket, whole answers of the shop, and their bytes. */
import { type Agent, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type ProxiedRequest = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type Answer = {
  readonly status: number;
  /** Without those that say how the body is carried. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

const HEAD_END = '\r\n\r\n';
const OF_ONE_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/**
 * Calls `meet` with each request of a connection, one after another. The socket is read all the time, so that its end
 * is seen even while a request is left without an answer.
 */
export function meetRequests(socket: Socket, meet: (request: ProxiedRequest) => Promise<void>): void {
  let unread: Buffer = Buffer.alloc(0);
  let turn = Promise.resolve();
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (let found = firstRequest(unread); found !== undefined; found = firstRequest(unread)) {
      const { request, rest } = found;
      unread = rest;
      turn = turn.then(() => meet(request)).catch(() => void socket.destroy());
    }
  });
}

function firstRequest(
  bytes: Buffer,
): { readonly request: ProxiedRequest; readonly rest: Buffer } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  const headers = Object.fromEntries(lines.map(headerOf));
  const bodyStart = headEnd + HEAD_END.length;
  const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0);
  if (bytes.length < bodyEnd) return undefined;
  const request = { method, target, headers, body: bytes.subarray(bodyStart, bodyEnd) };
  return { request, rest: bytes.subarray(bodyEnd) };
}

function headerOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** Asks the shop itself. @throws the system's error when it cannot be reached */
export async function askShop(shopUrl: string, request: ProxiedRequest, agent: Agent): Promise<Answer> {
  const { method, target, headers, body } = request;
  const answered = Promise.withResolvers<Answer>();
  const asking = httpRequest(new URL(target, shopUrl), { method, headers: endToEnd(headers), agent });
  asking.on('error', answered.reject);
  asking.on('response', (response) => {
    const { statusCode: status = 0, headers } = response;
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    buffer(response).then(
      (body) => answered.resolve({ status, headers: endToEnd(Object.fromEntries(texts)), body }),
      answered.reject,
    );
  });
  asking.end(body);
  return answered.promise;
}

function endToEnd(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_HOP.has(name)));
}

/** The head of an answer, up to its empty line. */
export function headBytes(status: number, headers: Readonly<Record<string, string | number>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`, 'latin1');
}

/** A whole answer, after which the connection can be used again. */
export function answerBytes({ status, headers, body }: Answer): Buffer {
  return Buffer.concat([headBytes(status, { ...headers, 'content-length': body.length }), body]);
}
