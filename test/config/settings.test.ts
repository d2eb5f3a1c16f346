import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadConfig } from '../../src/config/load-config.ts';
import { SETTING_NAMES } from '../../src/config/settings.ts';
import { complete, names, parse, problemsIn, problemsOf } from '../support/settings.ts';

let folder: string;
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'order-sync-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('any setting can be read from a file, without the trailing newline', () => {
  const config = parse({
    ...complete,
    SHOP_API_KEY: undefined,
    SHOP_API_KEY_FILE: file('key', 'from a file\n'),
    PII_SECRET_FILE: file('pii', 'hashes\r\n'),
    DATABASE_URL_FILE: file('url', 'postgres://me:pw@db.example/orders\n'),
  });
  expect(config.shops[0]?.apiKey).toBe('from a file');
  expect(config.shops[0]?.guestSecret).toBe('hashes');
  expect(config.databaseUrl).toBe('postgres://me:pw@db.example/orders');
});

test('each file is read once, since a pipe can be read only once', () => {
  const reads: string[] = [];
  const source = {
    env: {
      ...complete,
      SHOP_API_KEY: undefined,
      SHOP_API_KEY_FILE: '/dev/fd/63',
      PII_SECRET_FILE: '/dev/fd/64',
      FRESHNESS_FILE: '/dev/fd/65',
    },
    readFile: (path: string) => {
      reads.push(path);
      return path === '/dev/fd/65' ? '*:1d' : 'secret';
    },
  };
  expect(loadConfig(source, { shop: true }).shops[0]?.apiKey).toBe('secret');
  expect(reads.toSorted()).toEqual(['/dev/fd/63', '/dev/fd/64', '/dev/fd/65']);
});

test('a value from a file is validated like any other', () => {
  const problems = problemsOf({ ...complete, FRESHNESS_FILE: file('freshness', 'never') });
  expect(names(problems)).toEqual(['FRESHNESS']);
});

test.each(SETTING_NAMES)('%s may come from a file, and is refused where both are set', (name) => {
  const others = name === 'SHOPS_FILE' ? {} : complete;
  const read: string[] = [];
  const source = (env: Record<string, string>) => ({
    env: { ...others, [name]: undefined, ...env },
    readFile: (path: string) => {
      read.push(path);
      return '';
    },
  });
  const both = `${name} and ${name}_FILE are both set; keep one of them`;
  const given = source({ [name]: 'one', [`${name}_FILE`]: '/run/secrets/one' });
  const problems = problemsIn(() => loadConfig(given, { shop: true }));
  expect(problems).toContain(both);
  expect(read).toEqual([]);
  const fromFile = source({ [`${name}_FILE`]: '/run/secrets/one' });
  expect(problemsIn(() => loadConfig(fromFile, { shop: true }))).toContain(
    `${name}_FILE names a file that is empty or cannot be read; check its path and permissions`,
  );
  expect(read).toEqual(['/run/secrets/one']);
});

test('an empty or missing file, or a folder, is reported by the name of its setting', () => {
  for (const path of [file('empty', ' \n'), join(folder, 'absent'), folder]) {
    const problems = problemsOf({ ...complete, SHOP_API_KEY: undefined, SHOP_API_KEY_FILE: path });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('SHOP_API_KEY_FILE names a file that is empty or cannot be read');
  }
});

test('no problem repeats a secret, not even one set as a file name', () => {
  const secret = 'hunter2';
  const url = `https://admin:${secret}@db.example/x`;
  const shown = [
    ...problemsOf({ SHOP_URL: url, SHOP_LOGIN: 'a', SHOP_API_KEY_FILE: secret, DATABASE_URL: url }),
    ...problemsOf({ ...complete, DATABASE_URL_FILE: file('leaky', `mysql://me:${secret}@db/x`) }),
    ...problemsOf({
      ...complete,
      SHOP_API_KEY: secret,
      SHOP_API_KEY_FILE: secret,
      PII_SECRET_FILE: secret,
    }),
    ...problemsOf({ ...complete, DATABASE_URL_FILE: `postgres://me:${secret}@db/x` }),
  ];
  expect(names(shown)).toEqual([
    'SHOP_URL',
    'SHOP_API_KEY_FILE',
    'SHOP_TIMEZONE',
    'DATABASE_URL',
    'DATABASE_URL',
    'SHOP_API_KEY',
    'PII_SECRET_FILE',
    'DATABASE_URL_FILE',
  ]);
  expect(shown.join('\n')).not.toContain(secret);
});

test.each(['"k3y"', "'k3y'", '`k3y`', '“k3y”', '«k3y»'])(
  'a setting in quotation marks is refused by its name, wherever it stands: %s',
  (quoted) => {
    const problem = 'SHOP_API_KEY is in quotation marks, which would be part of the value; remove them';
    expect(problemsOf({ ...complete, SHOP_API_KEY: quoted })).toEqual([problem]);
    expect(problemsOf({ ...complete, SHOP_URL: '"https://shop.example"' })).toEqual([
      'SHOP_URL is in quotation marks, which would be part of the value; remove them',
    ]);
    const config = parse({ ...complete, SHOP_LOGIN: 'a"b', SHOP_API_KEY: '"', PII_SECRET: quoted });
    expect(config.shops[0]).toMatchObject({ login: 'a"b', apiKey: '"', guestSecret: quoted });
  },
);

const proxies = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'a.example', no_proxy: 'b.example' };
const LOCAL = 'localhost,127.0.0.1,::1';
const through = { httpProxy: '', httpsProxy: 'http://proxy.example:3128/', noProxy: `b.example,${LOCAL}` };

test.each([
  [{}, undefined],
  [{ NO_PROXY: 'a.example', HTTPS_PROXY: '', http_proxy: ' ' }, undefined],
  [proxies, through],
  [{ ...proxies, NODE_USE_ENV_PROXY: '1' }, through],
  [{ ...proxies, NODE_USE_ENV_PROXY: '0' }, undefined],
  [
    { https_proxy: 'user:word@proxy.example:3128' },
    { httpProxy: '', httpsProxy: 'http://user:word@proxy.example:3128/', noProxy: LOCAL },
  ],
])('with %j shops and alerts are reached through %j', (env, proxy) => {
  const config = parse({ ...complete, ...env });
  expect([config.proxy, config.shops[0]?.proxy]).toEqual([proxy, proxy]);
});

test.each(['socks5://proxy.example:1080', 'http://', 'http://a b'])('%s is no proxy', (given) => {
  const [problem, ...others] = problemsOf({ ...complete, HTTPS_PROXY: given });
  expect(problem).toMatch(/^HTTPS_PROXY must be the address of an HTTP proxy/);
  expect(others).toEqual([]);
});

test('Node’s own setting cannot turn off certificate checks', () => {
  for (const needsShop of [true, false]) {
    const [problem, ...others] = problemsOf({ ...complete, NODE_TLS_REJECT_UNAUTHORIZED: '0' }, needsShop);
    expect(problem).toMatch(/^NODE_TLS_REJECT_UNAUTHORIZED must not be 0.*NODE_EXTRA_CA_CERTS/);
    expect(others).toEqual([]);
  }
  expect(problemsOf({ ...complete, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([]);
});
