/** A server that offers TLS as PostgreSQL does, with a certificate that it signed itself for another host. */
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';

import { makeCertificate } from './certificate.ts';
import { listen } from './listen.ts';

export type TlsServer = AsyncDisposable & {
  readonly port: number;
  /** Path of the certificate. */
  readonly certificate: string;
};

/** @param skip ends the test where there is no openssl to make a certificate with */
export async function startTlsServer(skip: (note: string) => never): Promise<TlsServer> {
  await using opened = new AsyncDisposableStack();
  const { path, key, cert } = opened.use(await makeCertificate('other.example', skip));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // The request for TLS; `S` agrees to it.
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined);
    });
  });
  const { port } = opened.use(await listen(server));
  const held = opened.move();
  return { port, certificate: path, [Symbol.asyncDispose]: () => held.disposeAsync() };
}
