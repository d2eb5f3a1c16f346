/** A server that offers TLS as PostgreSQL does, with a certificate that it signed itself for another host. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';

import { makeCertificate } from './certificate.ts';

export type TlsServer = AsyncDisposable & {
  readonly port: number;
  /** Path of the certificate. */
  readonly certificate: string;
};

/** @param skip ends the test where there is no openssl to make a certificate with */
export async function startTlsServer(skip: (note: string) => never): Promise<TlsServer> {
  const { path, key, cert, ...made } = await makeCertificate('other.example', skip);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // The request for TLS; `S` agrees to it.
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    certificate: path,
    async [Symbol.asyncDispose]() {
      server.close();
      await made[Symbol.asyncDispose]();
    },
  };
}
