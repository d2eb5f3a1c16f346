import { expect, test } from 'vitest';

import { readProxySettings } from '../../src/config/proxy-settings.ts';
import { complete, parse } from '../support/settings.ts';

const proxies = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'a.example', no_proxy: 'b.example' };
const expected = { httpProxy: '', httpsProxy: 'http://proxy.example:3128', noProxy: 'b.example' };

test('proxies are used only if Node.js was told to, in either way', () => {
  expect(readProxySettings(proxies)).toBeUndefined();
  expect(readProxySettings({ ...proxies, NODE_USE_ENV_PROXY: '0' })).toBeUndefined();
  expect(readProxySettings({ ...proxies, NODE_USE_ENV_PROXY: '1' })).toEqual(expected);
  expect(readProxySettings({ ...proxies, NODE_OPTIONS: '--trace-warnings --use-env-proxy' })).toEqual(
    expected,
  );
});

test('each shop gets the proxy settings', () => {
  expect(parse({ ...complete, ...proxies, NODE_USE_ENV_PROXY: '1' }).shops).toMatchObject([
    { proxy: expected },
  ]);
  expect(parse({ ...complete, ...proxies }).shops[0]?.proxy).toBeUndefined();
});
