/** A shop whose failures show a person: in its pages, messages, headers and records. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { listen } from '../../support/listen.ts';
import { PERSON, PORTRAIT } from './canary.ts';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

export type HostileShop = AsyncDisposable & {
  /** The address of a shop that fails in this way. */
  address(failure: string): string;
};

const HTML = `<!doctype html><html><title>${PERSON.name}</title><p>${PORTRAIT}</p></html>`;

const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
const message = JSON.stringify({ success: 0, message: `no such user: ${PORTRAIT}` });
const html = { 'content-type': 'text/html' };
const list = (order: object) => JSON.stringify({ orders: [order], total: 1 });

export const SHOP_FAILURES: Readonly<Record<string, Respond>> = {
  'a page with a person': answer(200, HTML, html),
  'an error page with a person': answer(500, HTML, html),
  'a page instead of a record': answer(404, HTML, html),
  'a refused login': answer(401, message),
  'a refused login with a page': answer(403, HTML, html),
  'a message with a person': answer(200, message),
  'a bad request with a person': answer(400, message),
  'a person in the reason': (response) => {
    response.writeHead(502, `${PERSON.name} ${PERSON.email}`).end(PORTRAIT);
  },
  'a pause until a person': answer(429, message, { 'retry-after': PERSON.email }),
  'a redirect to a person': answer(302, '', {
    location: `https://${PERSON.email.replace('@', ':')}@elsewhere.example/login?email=${PERSON.email}`,
  }),
  'a redirect to nowhere': answer(301, '', { location: `:// ${PERSON.name}` }),
  'a charset named by a person': answer(200, '{"orders":[]}', {
    'content-type': `application/json; charset=${PERSON.email}`,
  }),
  'a coding named by a person': answer(200, '{"orders":[]}', { 'content-encoding': PERSON.email }),
  'bytes of no charset': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(Buffer.concat([Buffer.from(`{"orders":["${PORTRAIT}`), Buffer.from([0xff, 0xfe, 0xc3])]));
  },
  'JSON that ends in a name': answer(200, `{"orders":[{"fio":"${PORTRAIT}`),
  'text instead of JSON': answer(200, PORTRAIT),
  'orders that are a name': answer(200, JSON.stringify({ orders: PORTRAIT, total: PERSON.phone })),
  'orders by e-mail': answer(200, JSON.stringify({ orders: { [PERSON.email]: PORTRAIT }, total: 1 })),
  'other fields than documented': answer(200, JSON.stringify({ [PERSON.email]: PORTRAIT })),
  'an order without an id': answer(200, list({ order_id: PERSON.email, fio: PERSON.name })),
  'an order with a date of its own': answer(
    200,
    list({ order_id: 7, created: PERSON.phone, time: PORTRAIT }),
  ),
  'a connection that breaks': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9000' });
    response.write(PORTRAIT, () => response.destroy());
  },
  'no answer in HTTP': (response) => {
    response.socket?.end(`SMTP 220 ${PORTRAIT}\r\n\r\n`);
  },
};

export async function startHostileShop(): Promise<HostileShop> {
  const names = Object.keys(SHOP_FAILURES);
  const server = createServer((request, response) => {
    const failure = names[Number(request.url?.split('/')[1])] ?? '';
    SHOP_FAILURES[failure]?.(response, request);
  });
  const { url, ...listening } = await listen(server);
  return {
    address: (failure) => `${url}/${names.indexOf(failure)}`,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}
