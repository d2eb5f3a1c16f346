/** A server that offers TLS as PostgreSQL does, with a certificate that it signed itself for another host. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

export type TlsServer = AsyncDisposable & {
  readonly port: number;
  /** Path of the certificate. */
  readonly certificate: string;
};

const SUBJECT = ['-subj', '/CN=other.example', '-addext', 'subjectAltName=DNS:other.example'];

/** @param skip ends the test where there is no openssl to make a certificate with */
export async function startTlsServer(skip: (note: string) => never): Promise<TlsServer> {
  const directory = await mkdtemp(join(tmpdir(), 'order-sync-tls-'));
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  try {
    const files = ['-nodes', '-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-days', '2', ...files, ...SUBJECT], {
      stdio: 'ignore',
    });
  } catch {
    await rm(directory, { recursive: true, force: true });
    skip('openssl is not installed');
  }
  const secrets = { key: await readFile(key), cert: await readFile(certificate) };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // The request for TLS; `S` agrees to it.
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, ...secrets }).on('error', () => undefined);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    certificate,
    async [Symbol.asyncDispose]() {
      server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
