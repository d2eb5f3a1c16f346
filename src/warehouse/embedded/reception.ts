/** Where the users of a keeper's server report. A user's connection is its claim: the system closes it when it dies. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

import { GOODBYE, type KeeperMessage } from './keeper-messages.ts';

/** A keeper nobody came to has lost the process that started it. */
const FIRST_GUEST_WITHIN_MS = 10_000;
const TOKEN_WITHIN_MS = 5_000;
const HANG_UP_WITHIN_MS = 1_000;

export class Reception implements Disposable {
  /** Settles when the last guest has gone; nobody is let in from that moment on. */
  readonly empty: Promise<void>;
  readonly #leaveEmpty: () => void;
  readonly #token: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #guests = new Set<Socket>();
  #message: KeeperMessage = { state: 'starting' };
  #isOpen = true;

  private constructor(token: string) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.empty = promise;
    this.#leaveEmpty = resolve;
    this.#token = token;
    this.#server = createServer((socket) => this.#meet(socket));
  }

  static async open(token: string): Promise<Reception> {
    const reception = new Reception(token);
    reception.#server.listen(0, '127.0.0.1');
    await once(reception.#server, 'listening');
    setTimeout(() => reception.#closeWhenEmpty(), FIRST_GUEST_WITHIN_MS).unref();
    return reception;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Tells everybody who is here and who comes later. */
  announce(message: KeeperMessage): void {
    this.#message = message;
    for (const guest of this.#guests) tell(guest, message);
  }

  /** Lets nobody in any more and hangs up on everybody: the word that the server is down. */
  [Symbol.dispose](): void {
    this.#close();
    for (const socket of this.#sockets) hangUp(socket);
  }

  #meet(socket: Socket): void {
    this.#sockets.add(socket);
    const patience = setTimeout(() => socket.destroy(), TOKEN_WITHIN_MS);
    const lines = createInterface({ input: socket });
    lines.on('error', () => socket.destroy());
    lines.on('line', (line) => {
      if (this.#guests.has(socket)) this.#hear(socket, line);
      else if (this.#isOpen && line === this.#token) {
        clearTimeout(patience);
        this.#guests.add(socket);
        tell(socket, this.#message);
      } else socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(patience);
      this.#sockets.delete(socket);
      this.#leave(socket);
    });
  }

  #hear(guest: Socket, line: string): void {
    if (line !== GOODBYE) return;
    this.#leave(guest);
    // The last one waits for the server to go down.
    if (this.#isOpen) hangUp(guest);
  }

  #leave(guest: Socket): void {
    if (this.#guests.delete(guest)) this.#closeWhenEmpty();
  }

  #closeWhenEmpty(): void {
    if (this.#guests.size > 0) return;
    this.#close();
    this.#leaveEmpty();
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#server.close();
  }
}

function tell(guest: Socket, message: KeeperMessage): void {
  guest.write(`${JSON.stringify(message)}\n`);
}

function hangUp(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), HANG_UP_WITHIN_MS).unref();
}
