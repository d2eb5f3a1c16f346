import { expect, test } from 'vitest';

import { complete, parseShop, problemsOf } from '../support/settings.ts';

test.each([
  ['https://shop.example/', 'https://shop.example'],
  ['https://SHOP.example:8443', 'https://shop.example:8443'],
  ['https://shop.example/adm/api/', 'https://shop.example'],
  ['https://shop.example/store//', 'https://shop.example/store'],
  ['https://shop.example/store/adm/api', 'https://shop.example/store'],
  ['http://localhost:8080/', 'http://localhost:8080'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://127.1.2.3', 'http://127.1.2.3'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('the address %s is %s', (text, baseUrl) => {
  expect(parseShop({ ...complete, SHOP_URL: text }).baseUrl).toBe(baseUrl);
});

test.each([
  'http://shop.example',
  'http://localhost.example',
  'http://127.0.0.1.example',
  'http://10.0.0.1',
  'http://[::2]',
  'http://0.0.0.0',
])('the address %s would send the key unencrypted, which must be allowed explicitly', (text) => {
  const [problem, ...others] = problemsOf({ ...complete, SHOP_URL: text });
  expect(problem).toContain('SHOP_URL would send the API key unencrypted');
  expect(problem).toContain('SHOP_ALLOW_HTTP=true');
  expect(others).toEqual([]);
  expect(problemsOf({ ...complete, SHOP_URL: text, SHOP_ALLOW_HTTP: 'false' })).toHaveLength(1);
  expect(problemsOf({ ...complete, SHOP_URL: text, SHOP_ALLOW_HTTP: 'true' })).toEqual([]);
});

test('the key may be sent unencrypted only to the named host', () => {
  const given = { ...complete, SHOP_ALLOW_HTTP: 'demo-shop' };
  expect(problemsOf({ ...given, SHOP_URL: 'http://demo-shop:8090' })).toEqual([]);
  for (const other of ['http://demo-shop.example', 'http://shop.example']) {
    expect(problemsOf({ ...given, SHOP_URL: other })).toHaveLength(1);
  }
});
