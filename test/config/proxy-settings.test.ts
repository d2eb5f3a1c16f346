import { expect, test } from 'vitest';

import { readProxySettings } from '../../src/config/proxy-settings.ts';
import { complete, parse, problemsOf } from '../support/settings.ts';

const proxies = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'a.example', no_proxy: 'b.example' };
const expected = {
  httpProxy: '',
  httpsProxy: 'http://proxy.example:3128/',
  noProxy: 'b.example,localhost,127.0.0.1,::1',
};

test('a proxy is followed where one is set, unless Node.js was told not to', () => {
  const read = (env: Readonly<Record<string, string>>) => readProxySettings(env, () => expect.unreachable());
  expect(read({})).toBeUndefined();
  expect(read({ NO_PROXY: 'a.example', HTTPS_PROXY: '', http_proxy: ' ' })).toBeUndefined();
  expect(read(proxies)).toEqual(expected);
  expect(read({ ...proxies, NODE_USE_ENV_PROXY: '1' })).toEqual(expected);
  expect(read({ ...proxies, NODE_USE_ENV_PROXY: '0' })).toBeUndefined();
  expect(read({ https_proxy: 'user:word@proxy.example:3128' })).toEqual({
    httpProxy: '',
    httpsProxy: 'http://user:word@proxy.example:3128/',
    noProxy: 'localhost,127.0.0.1,::1',
  });
});

test('each shop gets the proxy settings', () => {
  expect(parse({ ...complete, ...proxies }).shops).toMatchObject([{ proxy: expected }]);
  expect(parse(complete).shops[0]?.proxy).toBeUndefined();
});

test.each(['socks5://proxy.example:1080', 'http://', 'http://a b'])('%s is no proxy', (given) => {
  const [problem, ...others] = problemsOf({ ...complete, HTTPS_PROXY: given });
  expect(problem).toMatch(/^HTTPS_PROXY must be the address of an HTTP proxy/);
  expect(others).toEqual([]);
});
