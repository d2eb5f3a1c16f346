/** A certificate that signs itself, in a folder of its own. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openFolder } from './scratch-folder.ts';

/** @param skip ends the test where there is no openssl to make one with */
export async function makeCertificate(host: string, skip: (note: string) => never) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder('certificate'));
  const [keyPath, path] = [join(folder.path, 'key.pem'), join(folder.path, 'certificate.pem')];
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2 -nodes'.split(' ');
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  try {
    execFileSync('openssl', [...kind, '-keyout', keyPath, '-out', path, ...subject], { stdio: 'ignore' });
  } catch {
    skip('openssl is not installed');
  }
  const [key, cert] = [await readFile(keyPath), await readFile(path)];
  const held = opened.move();
  return { path, key, cert, [Symbol.asyncDispose]: () => held.disposeAsync() };
}
