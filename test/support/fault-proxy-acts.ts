/** What a request can meet with instead of its answer. */
import type { Socket } from 'node:net';

import type { Act } from './fault-proxy.ts';
import { answerBytes, headBytes } from './fault-proxy-http.ts';
import { gzipBomb } from './gzip-bomb.ts';

/** Stands in every body and header that the proxy makes up; no message may repeat it. */
export const PRIVATE_TEXT = 'told-in-confidence';

const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = `<!doctype html><html><body><h1>${PRIVATE_TEXT}</h1></body></html>`;

export const resetBeforeHeaders: Act = ({ socket }) => void socket.resetAndDestroy();

/** The orderly end of a connection, without a word. */
export const closeBeforeHeaders: Act = ({ socket }) => void socket.end();

export const blackHole: Act = () => undefined;

/** The true head and the first bytes of the body; what then becomes of the connection is left to `then`. */
function partOf(bytes: (whole: number) => number, then: (socket: Socket) => void): Act {
  return async ({ socket, answer }) => {
    const { status, headers, body } = await answer();
    const head = headBytes(status, { ...headers, 'content-length': body.length });
    socket.write(Buffer.concat([head, body.subarray(0, bytes(body.length))]), () => then(socket));
  };
}

/** A shorter body loses its last byte. */
export const resetInBody = (afterBytes: number): Act =>
  partOf(
    (whole) => Math.min(afterBytes, whole - 1),
    (socket) => socket.resetAndDestroy(),
  );

export const stalledBody: Act = partOf(
  (whole) => Math.ceil(whole / 2),
  () => undefined,
);

export const drippedBody = (everyMs: number): Act => {
  return async ({ socket, answer }) => {
    const { status, headers, body } = await answer();
    socket.write(headBytes(status, { ...headers, 'content-length': body.length }));
    let sent = 0;
    const timer = setInterval(() => {
      socket.write(body.subarray(sent, sent + 1));
      sent += 1;
      if (sent >= body.length) clearInterval(timer);
    }, everyMs);
    socket.on('close', () => clearInterval(timer));
  };
};

/** Half of the JSON as a whole answer: the length is right for what is sent. */
export const truncatedJson: Act = async ({ socket, answer }) => {
  const whole = await answer();
  const body = whole.body.subarray(0, Math.ceil(whole.body.length / 2));
  socket.write(answerBytes({ ...whole, body }));
};

/** The length promises more or less than comes: what is missing never comes, what is too much comes all the same. */
export const wrongLength = (by: number): Act => {
  return async ({ socket, answer }) => {
    const { status, headers, body } = await answer();
    socket.write(
      Buffer.concat([headBytes(status, { ...headers, 'content-length': body.length + by }), body]),
    );
    if (by > 0) socket.end();
  };
};

/** A body without a length, all of which is sent at once; the end of it comes later, or never (Infinity). */
export const slowClose = (laterMs: number): Act => {
  return async ({ socket, answer }) => {
    const { status, headers, body } = await answer();
    socket.write(Buffer.concat([headBytes(status, { ...headers, connection: 'close' }), body]));
    if (Number.isFinite(laterMs)) setTimeout(() => socket.end(), laterMs).unref();
  };
};

type Headers = Readonly<Record<string, string>>;

const answering = (status: number, body: string, headers: () => Headers): Act => {
  return ({ socket }) =>
    void socket.write(
      answerBytes({ status, headers: { 'x-note': PRIVATE_TEXT, ...headers() }, body: Buffer.from(body) }),
    );
};

export const jsonStatus = (status: number): Act =>
  answering(status, JSON.stringify({ error: PRIVATE_TEXT }), () => JSON_TYPE);

export const htmlStatus = (status: number): Act =>
  answering(status, HTML, () => ({ 'content-type': 'text/html' }));

/** 429, or another status, that says when to come back, or what that is at that moment. */
export const comeBack = (status: number, retryAfter: string | (() => string)): Act =>
  answering(status, JSON.stringify({ error: PRIVATE_TEXT }), () => ({
    ...JSON_TYPE,
    'retry-after': typeof retryAfter === 'string' ? retryAfter : retryAfter(),
  }));

const BOMB_MIB = 1024;
let builtBomb: Buffer | undefined;

/** An answer of a megabyte that unpacks to a gigabyte. */
export const gzipBombAnswer: Act = ({ socket }) => {
  builtBomb ??= gzipBomb(BOMB_MIB);
  const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
  socket.write(answerBytes({ status: 200, headers, body: builtBomb }));
};

/** More than any client reads of a head. */
const HUGE_HEADER = PRIVATE_TEXT.repeat(16_000);

export const hugeHeader: Act = async ({ socket, answer }) => {
  const whole = await answer();
  socket.write(answerBytes({ ...whole, headers: { ...whole.headers, 'x-huge': HUGE_HEADER } }));
};

/** Bytes that are no HTTP, in the place of the status line. */
export const garbage: Act = ({ socket }) => void socket.write(`HTTP/1.1 ${PRIVATE_TEXT}\u0001\r\n\r\n`);

/** The connection is cut, and for a while nothing listens. */
export const portClosed = (forMs: number): Act => {
  return ({ closePortFor }) => closePortFor(forMs);
};
