/** A real webhook, whose answers a test decides. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

import { listen } from './listen.ts';

const note = z.looseObject({ text: z.string() });

type HookRequest = {
  readonly body: Readonly<Record<string, unknown>> & { readonly text: string };
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
};

export type Hook = AsyncDisposable & {
  /** A secret, as the addresses of real ones are. */
  readonly url: string;
  /** In the order in which they came. */
  readonly requests: HookRequest[];
  /** Decides on each request; may wait. @default 200 */
  answer: (body: HookRequest['body']) => number | Promise<number>;
  /** Further headers of every answer. */
  headers: Readonly<Record<string, string>>;
  /** The texts that were answered with 200. */
  taken(): readonly string[];
};

export async function startHook(): Promise<Hook> {
  const requests: HookRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (sent) => {
      const body = note.parse(JSON.parse(sent));
      const status = await hook.answer(body);
      requests.push({ body, headers: request.headers, status });
      response.writeHead(status, hook.headers).end('ok');
    });
  });
  const { url, ...listening } = await listen(server);
  const hook: Hook = {
    url: `${url}/hook-secret`,
    requests,
    answer: () => 200,
    headers: {},
    taken: () => requests.filter(({ status }) => status === 200).map(({ body }) => body.text),
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
  return hook;
}
