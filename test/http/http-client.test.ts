import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createHttpClient } from '../../src/http/http-client.ts';
import { ShapeError, TerminalError, TransientError } from '../../src/model/errors.ts';
import type { ShopApi } from '../../src/shop-api/shop-api.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { apiOf, NOW, rejection } from '../shop-api/api-of.ts';
import { bodies, ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';

describe('against the simulated shop', () => {
  let sim: Simulator;
  beforeEach(async () => {
    sim = await startSimulator({ orders: 40, days: 4, now: NOW });
  });
  afterEach(() => sim.close());

  test.each(['message-200', 'empty-200'] as const)(
    '%s instead of orders is retried if the shop says in another way that it has none',
    async (name) => {
      const api = apiOf(sim);
      sim.faults.failNext(1, name);
      expect(await api.listOrders({})).toMatchObject({ received: 40, total: 40 });
      expect(sim.requests.count('orders')).toBe(3);
    },
  );

  test.each<[string, (api: ShopApi) => Promise<unknown>]>([
    ['content', (api) => api.orderContent(String(sim.shop.orders()[0]?.orderId))],
    ['user', (api) => api.user(String(sim.shop.users()[0]?.oid))],
    ['groups', (api) => api.groups({})],
  ])('%s requests are retried and counted by their kind', async (route, ask) => {
    const api = apiOf(sim);
    sim.faults.failNext(1, 'http-502');
    sim.faults.failNext(1, 'reset-body');
    await ask(api);
    const none = { orders: 0, content: 0, user: 0, groups: 0, auth: 0 };
    expect(api.counts).toEqual({ ...none, [route]: 3, retries: 2 });
  });

  test('a POST is not retried, since it may have had its effect', async () => {
    const api = apiOf(sim);
    sim.faults.failNext(1, 'reset-body');
    const error = await rejection(api.loginLink({ by: 'login', value: 'x' }));
    expect(error).toBeInstanceOf(TransientError);
    expect(error.message).toMatch(/^POST \/auth: /);
    expect(sim.requests.count()).toBe(1);
    expect(api.counts).toMatchObject({ auth: 1, retries: 0 });
  });

  test('rejected credentials fail at once, with what to check', async () => {
    const api = apiOf(sim, { apiKey: 'another' });
    const asks = [
      api.listOrders({}),
      api.user('1'),
      api.orderContent('1'),
      api.loginLink({ by: 'login', value: 'x' }),
    ];
    for (const error of await Promise.all(asks.map(rejection))) {
      expect(error).toBeInstanceOf(TerminalError);
      expect(error).toMatchObject({ status: 401 });
      expect(error.message).toMatch(/HTTP 401.*check both/);
    }
    // One more list tells that it is not a single record that is refused; what has not been sent by then is not.
    expect(sim.requests.count()).toBeLessThanOrEqual(5);
    expect(api.counts.retries).toBe(0);
  });
});

/** A client of a shop that answers `{}` to everything, one request at a time. */
function clientWith(onSent: (path: string) => void) {
  return createHttpClient({
    baseUrl: 'http://shop.example/',
    headers: {},
    maxConcurrency: 1,
    maxRps: 100_000,
    routes: { record: { label: '/x', refusalScope: 'record' } },
    probeRequests: () => [],
    pool: {
      async send({ path }) {
        onSent(path);
        return { status: 200, headers: new Headers(), bytes: Buffer.from('{}') };
      },
    },
  });
}

test('the next requests are on their way before a response is read', async () => {
  const events: string[] = [];
  const client = clientWith((path) => events.push(`sent ${path}`));
  const ask = (path: string) =>
    client.send({
      route: 'record',
      method: 'GET',
      path,
      read() {
        events.push(`read /${path}`);
        return { value: undefined, shop: 'working' };
      },
    });
  await Promise.all(['1', '2', '3'].map(ask));
  expect(events).toEqual(['sent /1', 'sent /2', 'sent /3', 'read /1', 'read /2', 'read /3']);
});

test('an error of the program itself is passed on as it is', async () => {
  const bug = new TypeError('not a function');
  const read = () => {
    throw bug;
  };
  const client = clientWith(() => undefined);
  expect(await rejection(client.send({ route: 'record', method: 'GET', path: 'x', read }))).toBe(bug);
  expect(client.counts.record).toBe(1);
});

test('a login page instead of data is reported with what to check', async () => {
  await using sim = await startSimulator({ orders: 1, now: NOW, dialect: { wrongKey: 'html-200' } });
  const error = await rejection(apiOf(sim, { apiKey: 'another' }).listOrders({}));
  expect(error).toBeInstanceOf(TransientError);
  expect(error.message).toMatch(/HTML page.*check its address, login and API key/);
});

test.each([
  [401, /HTTP 401.*check both/, ['groups', 'orders?limit=1']],
  [403, /HTTP 403.*check both/, ['groups', 'orders?limit=1']],
  [
    404,
    /^GET \/groups: nothing is at http:\/\/\S+\/adm\/api\/groups \(HTTP 404\); check its address$/,
    ['groups'],
  ],
])('HTTP %i fails at once, with what to check', async (status, sentence, asked) => {
  await using shop = await startScriptedShop(
    (response) => void response.writeHead(status, { 'Retry-After': '0' }).end('{}'),
  );
  const api = apiOf(shop);
  const error = await rejection(api.groups({}));
  expect(error).toBeInstanceOf(TerminalError);
  expect(error).not.toBeInstanceOf(ShapeError);
  expect(error).toMatchObject({ status });
  expect(error.message).toMatch(sentence);
  expect(api.health).toMatchObject({ answers: asked.length, lowestConcurrency: 2 });
  expect(shop.received.map(({ url }) => url)).toEqual(asked.map((path) => `/adm/api/${path}`));
});

test('an address with an extra path is reported as such, without the requested path', async () => {
  await using shop = await startScriptedShop((response) => void response.writeHead(404).end('{}'));
  const at = { url: `${shop.url}/some/path/` };
  const error = await rejection(apiOf(at).listOrders({ limit: 3 }));
  expect(error.message).toBe(
    `GET /orders: nothing is at ${shop.url}/some/path/adm/api/orders (HTTP 404); check its address: the API is below ` +
      '/adm/api/ of that, so the path /some/path is probably not needed',
  );
});

test('a shop that refuses everything after a while is not reported to reject the login', async () => {
  await using shop = await startScriptedShop((response, index) => {
    if (index >= 3) return void response.writeHead(403).end('{}');
    return void response.end(index === 0 ? ONE_ORDER : '{"ordercontent":[],"success":1}');
  });
  const api = apiOf(shop);
  await api.listOrders({});
  await api.orderContent('7');
  await api.orderContent('7');
  for (const ask of [() => api.orderContent('7'), () => api.listOrders({})]) {
    const error = await rejection(ask());
    expect(error).toMatchObject({ status: 403 });
    expect(error.message).toContain(
      'began to refuse requests (HTTP 403) after 3 responses; it may limit the number of requests',
    );
    expect(error.message).not.toContain('check both');
  }
});

test('a page that is not from the API does not prove that the login is valid', async () => {
  await using shop = await startScriptedShop((response, index) => {
    if (index === 0) return void response.end('<html>hello');
    return void response.writeHead(403).end('{}');
  });
  const api = apiOf(shop);
  await api.orderResponse('7');
  expect((await rejection(api.listOrders({}))).message).toContain('check both');
});

test('a response of an unexpected shape is retried once, and the error says where it differs', async () => {
  const cases: readonly (readonly [string, (api: ShopApi) => Promise<unknown>, RegExp])[] = [
    ['{"orders":7,"total":0}', (api) => api.listOrders({}), /orders: must be a list/],
    ['[1]', (api) => api.listOrders({}), /orders: must be a list/],
    ['{"success":1}', (api) => api.orderContent('1'), /ordercontent: must be a list/],
    ['"gone"', (api) => api.orderContent('1'), /the whole: must be an object/],
    ['{"name":"x"}', (api) => api.user('1'), /oid: must be an identifier/],
    [
      '{"ordercontent":[],"order_id":"2"}',
      (api) => api.orderContent('1'),
      /order_id: must be the requested order/,
    ],
    ['7', (api) => api.groups({}), /must be a list/],
  ];
  for (const [body, ask, sentence] of cases) {
    await using shop = await startScriptedShop(bodies(body));
    const error = await rejection(ask(apiOf(shop)));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error.message).toMatch(/^(GET|POST) \/\S+: the response is not of the documented shape/);
    expect(error.message).toMatch(sentence);
    expect(shop.received).toHaveLength(2);
  }
});

test('a login link of an unexpected shape is not retried, and the error says where it differs', async () => {
  await using shop = await startScriptedShop(bodies('{"actkey":"k","link":"l"}'));
  const error = await rejection(apiOf(shop).loginLink({ by: 'login', value: 'x' }));
  expect(error).toBeInstanceOf(TerminalError);
  expect(error.message).toMatch(/^POST \/auth: the response is not of the documented shape .*login: must be/);
  expect(shop.received).toHaveLength(1);
});

test('a single response of an unexpected shape is overcome, also after another fault', async () => {
  await using shop = await startScriptedShop(bodies('<', '<', '{"orders":7}', '<', ONE_ORDER));
  const api = apiOf(shop);
  expect(await api.listOrders({})).toMatchObject({ received: 1 });
  expect(api.counts).toMatchObject({ orders: 5, retries: 4 });
});

test('a request limited to one attempt is sent once, whatever happens', async () => {
  await using shop = await startScriptedShop(bodies('{"orders":7}'));
  await rejection(apiOf(shop, { retry: { maxAttempts: 1 } }).listOrders({}));
  expect(shop.received).toHaveLength(1);
});

test("a pause is at least half of the policy's, even if the server asks for a shorter one", async () => {
  await using shop = await startScriptedShop((response, index) => {
    if (index > 2) return void response.end(ONE_ORDER);
    return void response.writeHead(429, { 'Retry-After': '0' }).end();
  });
  const began = performance.now();
  await apiOf(shop, { retry: { firstPauseMs: 80, maxPauseMs: 200 } }).listOrders({});
  // 80, 160 and 200 at the most, half of it at the least.
  expect(performance.now() - began).toBeGreaterThan(210);
});
