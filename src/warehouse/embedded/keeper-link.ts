/** A user's connection to the keeper. */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

import { TerminalError } from '../../errors.ts';
import { GOODBYE, parseKeeperMessage, readAddress } from './keeper-messages.ts';

export type KeeperLink = {
  readonly url: string;
  /** Settles when the connection is gone, wanted or not. */
  readonly lost: Promise<void>;
  /** Says goodbye; the last user's goodbye lasts until the server is down, or five seconds. */
  leave(): Promise<void>;
};

const ANSWER_WITHIN_MS = 5_000;
const LEAVE_WITHIN_MS = 5_000;

/**
 * Reports to the home's keeper and waits until its server is ready, however long that takes. Undefined when there is
 * no keeper, or when it is about to end.
 *
 * @throws TerminalError with the keeper's reason when the server cannot be started
 */
export async function linkToKeeper(home: string): Promise<KeeperLink | undefined> {
  const address = await readAddress(home);
  if (address === undefined) return undefined;
  const socket = connect(address.port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  const lost = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.write(`${address.token}\n`);
  try {
    const url = await awaitUrl(socket);
    if (url !== undefined) {
      // The connection must not keep a process alive that forgets to close.
      socket.unref();
      return { url, lost, leave: () => leave(socket, lost) };
    }
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.destroy();
  return undefined;
}

/** The URL once the server is ready; undefined when the connection closes before, or a stranger answers. */
async function awaitUrl(socket: Socket): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const impatience = setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS);
  socket.once('close', () => resolve(undefined));
  const lines = createInterface({ input: socket });
  lines.on('error', () => resolve(undefined));
  lines.on('line', (line) => {
    clearTimeout(impatience);
    const message = parseKeeperMessage(line);
    if (message?.state === 'failed') reject(new TerminalError(message.reason));
    else if (message?.state !== 'starting') resolve(message?.url);
  });
  return await promise.finally(() => clearTimeout(impatience));
}

async function leave(socket: Socket, lost: Promise<void>): Promise<void> {
  if (socket.destroyed) return;
  const impatience = setTimeout(() => socket.destroy(), LEAVE_WITHIN_MS);
  socket.ref();
  socket.write(`${GOODBYE}\n`);
  await lost;
  clearTimeout(impatience);
}
