/** A way station in front of PostgreSQL, where a test can act between a statement and its answer. Plain TCP, no TLS. */
import { connect, createServer, type Socket } from 'node:net';

import { type Message, MessageReader } from './database-messages.ts';
import { listen } from './listen.ts';
import { until } from './until.ts';

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
  /** Settles once nothing has passed for a while, and no transaction is open but for a statement that is held back. */
  quiet(): Promise<void>;
};

const QUIET_MS = 500;

/** The handler of a proxy that does nothing. */
export const forwardAll: Handler = (_statement, forward) => forward();

/** Starts a proxy in front of the database of a URL. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const upstreams = new Set<Socket>();
  let handler = forwardAll;
  let passedMs = performance.now();
  const busy = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    upstreams.add(upstream);
    upstream.on('close', () => upstreams.delete(upstream));
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('data', () => (passedMs = performance.now()));
      // A killed client resets its connection; that it is gone is told by 'close'.
      socket.on('error', () => undefined);
    }
    relay(client, upstream, busy, (statement, forward) => handler(statement, forward)).catch(() =>
      client.destroy(),
    );
  });
  const listening = await listen(server);
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(listening.port) }).href,
    handle: (next) => (handler = next),
    async quiet() {
      await until(
        'no transaction is open',
        () => busy.size === 0 && performance.now() - passedMs >= QUIET_MS,
      );
    },
    async [Symbol.asyncDispose]() {
      for (const upstream of upstreams) upstream.destroy();
      await listening[Symbol.asyncDispose]();
    },
  };
}

/**
 * Carries a connection until its client is gone; the server learns of that by the end of its connection.
 *
 * @param busy holds the client while it logs in, waits for the server, or is in a transaction
 */
async function relay(client: Socket, upstream: Socket, busy: Set<Socket>, handler: Handler): Promise<void> {
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
  busy.add(client);
  try {
    for await (const { bytes, text } of unitsOf(client)) {
      if (text === undefined) {
        upstream.write(bytes);
        continue;
      }
      held = [];
      busy.delete(client);
      await handler({ text, before }, async (edit) => {
        const answer = new Promise<void>((resolve) => (answered = resolve));
        if (edit) bytes.write(edit[1], bytes.indexOf(edit[0]));
        busy.add(client);
        upstream.write(bytes);
        await answer;
        busy.delete(client);
      });
      for (const chunk of held) client.write(chunk);
      held = undefined;
      before = nextTransaction(before, text);
      if (before.length > 0) busy.add(client);
    }
  } finally {
    busy.delete(client);
    upstream.end();
  }
}

function nextTransaction(before: readonly string[], text: string): readonly string[] {
  if (/^begin/i.test(text)) return [text];
  const isOver = before.length === 0 || /^(commit|rollback)$/i.test(text);
  return isOver ? [] : [...before, text];
}

type Unit = { readonly bytes: Buffer; readonly text: string | undefined };

/** What a client sends without waiting in between: a whole statement, or a step of the login. */
async function* unitsOf(client: Socket): AsyncGenerator<Unit> {
  const reader = new MessageReader('untyped first');
  let messages: Message[] = [];
  for await (const chunk of client) {
    for (const message of reader.read(Buffer.from(chunk))) {
      messages.push(message);
      if (!['', 'p', 'Q', 'S', 'X'].includes(message.type)) continue;
      const bytes = Buffer.concat(messages.map((part) => part.bytes));
      yield { bytes, text: messages.find(({ sql }) => sql !== undefined)?.sql };
      messages = [];
    }
  }
}
