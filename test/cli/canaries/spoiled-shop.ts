/** A simulated shop that says a person wherever it can, in the records of one kind. */
import { createServer } from 'node:http';

import { isJsonObject, type JsonValue } from '../../../src/model/json.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { listen } from '../../support/listen.ts';
import { PERSON, PORTRAIT, SECRETS } from './canary.ts';

/** Which requests are answered by spoiled records. */
export const RESOURCES: Readonly<Record<string, RegExp>> = {
  orders: /\/orders(\?|$)/,
  contents: /\/orders\/\d+/,
  users: /\/users\//,
  groups: /\/groups/,
};

/** What takes the place of each value. */
export const SPOILERS: Readonly<Record<string, (value: JsonValue, at: number) => JsonValue>> = {
  texts: () => PORTRAIT,
  'short texts': (_value, at) => Object.values(PERSON)[at % 4] ?? '',
  objects: () => ({ [PERSON.email]: PORTRAIT, [PERSON.phone]: [PERSON.name] }),
};

/** Else there would be no record at all. */
const KEPT = /^(orders?_id|orders|total|success|created|time|oid|id|user_id|user_oid)$/;

export type SpoiledShop = AsyncDisposable & { readonly url: string };

export async function startSpoiledShop(resource: string, spoiler: string): Promise<SpoiledShop> {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ orders: 6, days: 1, apiKey: SECRETS.apiKey }));
  const server = createServer((request, response) => {
    const isOtherTree = resource !== 'groups' && RESOURCES['groups']?.test(request.url ?? '') === true;
    // The tree takes more requests than all the orders.
    if (isOtherTree) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      return;
    }
    const { accept = '*/*', authorization = '' } = request.headers;
    void fetch(`${simulator.url}${request.url}`, {
      headers: {
        accept,
        authorization,
        'content-type': request.headers['content-type'] ?? 'application/json',
      },
    }).then(async (answer) => {
      const text = await answer.text();
      const isMeant = RESOURCES[resource]?.test(request.url ?? '') === true && answer.ok;
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(isMeant ? JSON.stringify(spoil(JSON.parse(text), SPOILERS[spoiler])) : text);
    });
  });
  const { url } = stack.use(await listen(server));
  const kept = stack.move();
  return { url, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function spoil(value: JsonValue, spoiler: (typeof SPOILERS)[string] | undefined): JsonValue {
  if (spoiler === undefined) return value;
  if (Array.isArray(value)) return value.map((each) => spoil(each, spoiler));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, each], at): [string, JsonValue] => {
    if (KEPT.test(name) || isContainer(each)) return [name, spoil(each, spoiler)];
    return [name, spoiler(each, at)];
  });
  // A field that no documentation knows.
  return Object.fromEntries([...entries, [PERSON.email, PORTRAIT]]);
}

const isContainer = (value: JsonValue) =>
  (Array.isArray(value) && value.some((each) => isJsonObject(each))) || isJsonObject(value);
