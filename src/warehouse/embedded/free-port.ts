import { createServer } from 'node:net';

import { TerminalError } from '../../errors.ts';

/** The wished port of 127.0.0.1, so that a connection line noted yesterday still works, or any when that one is taken. */
export async function freePort(wished: number | undefined): Promise<number> {
  for (const candidate of [wished ?? 0, 0]) {
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(candidate, '127.0.0.1', () => resolve(true));
    });
    const address = probe.address();
    if (!isFree || typeof address !== 'object' || address === null) continue;
    await new Promise((resolve) => probe.close(resolve));
    return address.port;
  }
  throw new TerminalError('No port of 127.0.0.1 is free for the embedded PostgreSQL.');
}
