/** A server that refuses each session with an error of PostgreSQL whose texts quote a person and a password. */
import { createServer } from 'node:net';

import { listen, type Listening } from '../../support/listen.ts';
import { PORTRAIT, SECRETS } from './canary.ts';

/** @param code an SQLSTATE; undefined: an answer that is not PostgreSQL's */
export async function startHostileDatabase(code: string | undefined): Promise<Listening> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end(code === undefined ? `HTTP/1.1 400 ${PORTRAIT}\r\n\r\n` : refusal(code)),
    );
  });
  return listen(server);
}

/** An ErrorResponse of the protocol: fields that begin with their letter and end with NUL. */
function refusal(code: string): Buffer {
  const text = `${SECRETS.databasePassword} ${PORTRAIT}`;
  const fields = {
    S: 'FATAL',
    V: 'FATAL',
    C: code,
    M: text,
    D: `Key (fio)=(${text})`,
    H: text,
    W: text,
    q: text,
  };
  const body = `${Object.entries(fields)
    .map(([letter, value]) => `${letter}${value}\0`)
    .join('')}\0`;
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(body) + 4);
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(body)]);
}
