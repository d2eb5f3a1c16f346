/** Redirects within the shop are followed a few times; credentials go nowhere else. */
import { expect, test } from 'vitest';

import { TerminalError } from '../../src/model/errors.ts';
import { apiOf, rejection } from '../shop-api/api-of.ts';
import { ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';

/** A shop that redirects once, and then answers. */
const startRedirecting = (location: string | undefined, status = 302) =>
  startScriptedShop((response, index) => {
    if (index > 0) return void response.end(ONE_ORDER);
    return void response
      .writeHead(status, location === undefined ? {} : { Location: location })
      .end(ONE_ORDER);
  });

test('three redirects in a row are followed, and a fourth is one too many', async () => {
  for (const [redirects, requests] of [
    [3, 4],
    [4, 4],
  ] as const) {
    await using shop = await startScriptedShop((response, index) => {
      if (index >= redirects) return void response.end(ONE_ORDER);
      // Each address begins where the one before it led to.
      return void response.writeHead(302, { Location: `next/?limit=5&at=${index}` }).end();
    });
    const asked = apiOf(shop).listOrders({ limit: 5 });
    if (redirects === 3) expect(await asked).toMatchObject({ received: 1 });
    else expect((await rejection(asked)).message).toContain('redirects in a loop; check its address');
    expect(shop.received).toHaveLength(requests);
    expect(shop.received.at(-1)?.url).toBe('/adm/api/next/next/next/?limit=5&at=2');
  }
});

test('the same host by another scheme or port is another place, and so is another host, which is not named', async () => {
  for (const [change, place, name = '127.0.0.1'] of [
    [(url: URL) => (url.protocol = 'https:'), /^https:\/\/127\.0\.0\.1:\d+$/],
    [(url: URL) => (url.port = '9'), /^http:\/\/127\.0\.0\.1:9$/],
    [(url: URL) => (url.hostname = 'www.localhost'), /^http:\/\/www\.localhost:\d+$/, 'localhost'],
    [(url: URL) => (url.hostname = 'ivan-petrov.example'), /^another host$/],
    [(url: URL) => (url.hostname = 'localwww.host'), /^another host$/, 'localhost'],
  ] as const) {
    await using shop = await startScriptedShop((response) => {
      const target = new URL('/adm/api/orders', shop.url);
      change(target);
      response.writeHead(308, { Location: target.href }).end();
    });
    const url = shop.url.replace('127.0.0.1', name);
    const hosts: string[] = [];
    const error = await rejection(apiOf({ url }, { onRedirect: (host) => hosts.push(host) }).listOrders({}));
    const target = new URL('/', shop.url);
    change(target);
    expect(hosts).toEqual([target.host]);
    expect(error).toBeInstanceOf(TerminalError);
    const [, named] =
      /^GET \/orders: the shop redirects to (.+), where the credentials are not sent; if that is the shop's address, set it in the settings$/.exec(
        error.message,
      ) ?? [];
    expect(named).toMatch(place);
    expect(shop.received).toHaveLength(1);
  }
});

test('the host without "www." is named, too', async () => {
  await using proxy = await startRedirecting('http://shop.invalid/', 301);
  const settings = { httpProxy: proxy.url, httpsProxy: '', noProxy: '' };
  const error = await rejection(
    apiOf({ url: 'http://www.shop.invalid' }, { proxy: settings }).listOrders({}),
  );
  expect(error.message).toContain('redirects to http://shop.invalid, where the credentials are not sent');
});

test('the own address in full, and one without a scheme, are the same place', async () => {
  for (const prefix of ['http://', '//']) {
    await using shop = await startScriptedShop((response, index, { headers }) => {
      if (index > 0) return void response.end(ONE_ORDER);
      return void response.writeHead(301, { Location: `${prefix}${headers.host}/a%20b?c=%26` }).end();
    });
    expect(await apiOf(shop).listOrders({})).toMatchObject({ received: 1 });
    expect(shop.received[1]?.url).toBe('/a%20b?c=%26');
    expect(shop.received[1]?.headers.authorization).toMatch(/^Basic /);
  }
});

test('the Location of a response that is no redirect is not followed', async () => {
  for (const status of [200, 299, 300, 399, 400, 404]) {
    await using shop = await startRedirecting('/elsewhere', status);
    await apiOf(shop)
      .listOrders({})
      .catch(() => undefined);
    const isAsked = shop.received.some(({ url }) => url === '/elsewhere');
    expect(isAsked, `HTTP ${status}`).toBe(status === 300 || status === 399);
  }
});

test('a redirect that names no place is reported by its status', async () => {
  await using shop = await startRedirecting(undefined);
  const error = await rejection(apiOf(shop, { retry: { maxAttempts: 1 } }).listOrders({}));
  expect(error.message).toBe('GET /orders: the shop answered HTTP 302');
});

test('a redirect that drops the query is not followed, since it would lead to another list', async () => {
  for (const location of ['/adm/api/orders/', '/adm/api/orders?lang=en', '?limit=5']) {
    await using shop = await startRedirecting(location, 301);
    const error = await rejection(apiOf(shop).listOrders({ start: 2, limit: 5 }));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error.message).toMatch(/redirects the request to an address without its query; set the address/);
    expect(shop.received).toHaveLength(1);
  }
});

test('a loop of redirects that set cookies is reported as that', async () => {
  await using shop = await startScriptedShop((response, _index, { url }) => {
    response.writeHead(302, { Location: url, 'Set-Cookie': 'secret=1' }).end();
  });
  const error = await rejection(apiOf(shop).listOrders({ limit: 5 }));
  expect(error.message).toMatch(
    /in a loop; check its address, and.*cookie.*let this machine's address through/,
  );
  expect(error.message).not.toContain('secret');
});
