/** A server that answers as a test tells it, and keeps what it was sent. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from '../support/listen.ts';

export type Received = {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type ScriptedShop = AsyncDisposable & { readonly url: string; readonly received: readonly Received[] };

/** @param answer given the request's number from 0; whatever it throws ends the connection */
export async function startScriptedShop(
  answer: (response: ServerResponse, index: number, request: Received) => void | Promise<void>,
): Promise<ScriptedShop> {
  const received: Received[] = [];
  const server = createServer((incoming, response) => {
    const serve = async () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: await text(incoming) };
      received.push(request);
      await answer(response, received.length - 1, request);
    };
    serve().catch(() => incoming.socket.destroy());
  });
  return { ...(await listen(server)), received };
}

/** Answers in turn with these bodies, and with the last one from then on. */
export function bodies(...texts: readonly string[]): (response: ServerResponse, index: number) => void {
  return (response, index) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(texts[Math.min(index, texts.length - 1)]);
  };
}

export const ONE_ORDER = '{"orders":[{"order_id":7}],"total":1}';
