/** A way station in front of PostgreSQL, where a test can act between a statement and its answer. Plain TCP, no TLS. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Message, MessageReader } from './database-messages.ts';

export type Statement = {
  /** SQL as sent, its parameters apart. */
  readonly text: string;
  /** What was sent before it in the open transaction, the BEGIN included; empty outside of one. */
  readonly before: readonly string[];
};

/**
 * Sends a statement on, and settles when the server has answered.
 *
 * @param edit a text of the statement and what takes its place; both of one length
 */
type Forward = (edit?: readonly [string, string]) => Promise<void>;

/**
 * Meets each statement. The answer is delivered when the handler settles. A statement that is not forwarded is lost,
 * and its client waits for ever.
 */
export type Handler = (statement: Statement, forward: Forward) => Promise<void>;

export type DatabaseProxy = AsyncDisposable & {
  /** The same database by way of the proxy. */
  readonly url: string;
  /** From the next statement on. */
  handle(handler: Handler): void;
  /** Settles once nothing has passed for a while: whoever connects here waits for something else. */
  quiet(): Promise<void>;
};

const QUIET_MS = 300;

/** The handler of a proxy that does nothing. */
export const forwardAll: Handler = (_statement, forward) => forward();

/** Starts a proxy in front of the database of a URL. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let handler = forwardAll;
  let passedMs = performance.now();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('data', () => (passedMs = performance.now()));
      socket.on('close', () => sockets.delete(socket));
      // A killed client resets its connection; that it is gone is told by 'close'.
      socket.on('error', () => undefined);
    }
    relay(client, upstream, (statement, forward) => handler(statement, forward)).catch(() =>
      client.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: withAddress(target, server),
    handle: (next) => (handler = next),
    async quiet() {
      while (performance.now() - passedMs < QUIET_MS) await sleep(QUIET_MS / 10);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

function withAddress(target: URL, server: Server): string {
  const address = server.address();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = typeof address === 'object' && address !== null ? String(address.port) : '';
  return url.href;
}

/** Carries a connection until its client is gone; the server learns of that by the end of its connection. */
async function relay(client: Socket, upstream: Socket, handler: Handler): Promise<void> {
  const answers = new MessageReader('typed');
  let [held, answered]: [Buffer[] | undefined, () => void] = [undefined, () => undefined];
  upstream.on('data', (chunk: Buffer) => {
    if (held === undefined) client.write(chunk);
    else held.push(chunk);
    if (answers.read(chunk).some(({ type }) => type === 'Z')) answered();
  });
  upstream.on('close', () => {
    answered();
    client.destroy();
  });
  let before: readonly string[] = [];
  try {
    for await (const { messages, text } of unitsOf(client)) {
      const bytes = Buffer.concat(messages.map((message) => message.bytes));
      if (text === undefined) {
        upstream.write(bytes);
        continue;
      }
      held = [];
      await handler({ text, before }, (edit) => {
        const answer = new Promise<void>((resolve) => (answered = resolve));
        if (edit) bytes.write(edit[1], bytes.indexOf(edit[0]));
        upstream.write(bytes);
        return answer;
      });
      for (const chunk of held) client.write(chunk);
      held = undefined;
      if (/^begin/i.test(text)) before = [text];
      else if (before.length > 0) before = /^(commit|rollback)$/i.test(text) ? [] : [...before, text];
    }
  } finally {
    upstream.end();
  }
}

type Unit = { readonly messages: readonly Message[]; readonly text: string | undefined };

/** What a client sends without waiting in between: a whole statement, or a step of the login. */
async function* unitsOf(client: Socket): AsyncGenerator<Unit> {
  const reader = new MessageReader('untyped first');
  let messages: Message[] = [];
  for await (const chunk of client) {
    for (const message of reader.read(Buffer.from(chunk))) {
      messages.push(message);
      if (!['', 'p', 'Q', 'S', 'X'].includes(message.type)) continue;
      yield { messages, text: messages.map(({ sql }) => sql).find((sql) => sql !== undefined) };
      messages = [];
    }
  }
}
