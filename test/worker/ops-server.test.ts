import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import { startOpsServer } from '../../src/worker/ops-server.ts';
import { REFUSED, WELL } from './ops-sources.ts';

test.each([
  [new TransientError('the database did not answer within 5 s'), 'the database did not answer within 5 s\n'],
  [
    REFUSED,
    'the database: nothing is listening there; check DATABASE_URL, and that PostgreSQL is up (ECONNREFUSED)\n',
  ],
  [new RangeError('of Mr. Smith'), 'a bug in order-sync (RangeError)\n'],
])('%s is answered with what it is', async (error, text) => {
  const fail = async () => {
    throw error;
  };
  await using server = await startOpsServer(
    { port: 0 },
    { ...WELL, status: fail, shop: fail, metrics: fail },
  );
  for (const path of ['/', '/status.json', '/metrics', '/shops/a']) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    expect([response.status, await response.text()], path).toEqual([503, text]);
  }
});

test('a port in use is reported as such', async () => {
  await using other = await startOpsServer({ port: 0 }, WELL);
  await expect(startOpsServer({ port: other.port }, WELL)).rejects.toThrow(
    `port ${other.port} is already in use; set PORT to another`,
  );
});

test('a stopping server waits for no answer, and a database that does not answer counts as not ready', async () => {
  const asked = Promise.withResolvers<undefined>();
  const status = () => {
    asked.resolve(undefined);
    return new Promise<never>(() => undefined);
  };
  const unreadiness = () => Promise.reject(REFUSED);
  const server = await startOpsServer({ port: 0 }, { ...WELL, status, unreadiness });
  const ready = await fetch(`http://127.0.0.1:${server.port}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, 'the database did not answer in time\n']);
  const cut = fetch(`http://127.0.0.1:${server.port}/status.json`).then(
    () => 'answered',
    () => 'cut',
  );
  await asked.promise;
  await server[Symbol.asyncDispose]();
  expect(await cut).toBe('cut');
});

test('many who ask at once cost one reading, of the page and its data together', async () => {
  const reads = { status: 0, metrics: 0 };
  const status = async () => {
    reads.status++;
    return [];
  };
  const render = async () => {
    reads.metrics++;
    return 'up 1\n';
  };
  await using server = await startOpsServer({ port: 0 }, { ...WELL, status, metrics: render });
  const paths = Array.from({ length: 5 }, () => ['/', '/status.json', '/metrics']).flat();
  const responses = await Promise.all(
    paths.map(async (path) => await fetch(`http://127.0.0.1:${server.port}${path}`)),
  );
  expect(responses.map((response) => response.status)).toEqual(paths.map(() => 200));
  expect(reads).toEqual({ status: 1, metrics: 1 });
});

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

test('with a password, all but the health checks needs it, with any user name', async () => {
  const password = 'pass: wörd"';
  await using server = await startOpsServer({ port: 0, password }, WELL);
  const ask = async (path: string, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    return fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
  };
  for (const path of ['/livez', '/readyz']) expect((await ask(path)).status, path).toBe(200);
  const wrong = [
    undefined,
    '',
    'Basic',
    basic(''),
    basic(password),
    basic('ops:'),
    basic(`ops:${password} `),
    basic(`ops:${password.slice(0, -1)}`),
    basic(`${password}:ops`),
    `Bearer ${password}`,
  ];
  for (const path of [
    '/',
    '/shops/a',
    '/shops/a/data.json',
    '/events',
    '/assets/refresh.js',
    '/status.json',
    '/metrics',
    '/elsewhere',
    '/livez/../metrics',
    '//livez',
    '/LIVEZ',
  ]) {
    for (const authorization of wrong) {
      const refused = await ask(path, authorization);
      expect([refused.status, refused.headers.get('www-authenticate')], `${path} ${authorization}`).toEqual([
        401,
        'Basic realm="order-sync"',
      ]);
      expect(await refused.text()).not.toContain('up 1');
    }
  }
  for (const user of ['', 'ops', 'prometheus']) {
    for (const path of ['/', '/status.json', '/metrics']) {
      expect((await ask(path, basic(`${user}:${password}`))).status, path).toBe(200);
    }
    expect((await ask('/elsewhere', basic(`${user}:${password}`))).status).toBe(404);
  }
});

/** Asks with a `Host` of one's own, which `fetch` does not allow. */
async function askAs(port: number, path: string, host: string) {
  const sent = request({ host: '127.0.0.1', port, path, headers: { host } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

test('a public host name gets nothing without a password', async () => {
  await using server = await startOpsServer({ port: 0 }, WELL);
  await using guarded = await startOpsServer({ port: 0, password: 'needed' }, WELL);
  const { port } = server;
  const foreign = [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
  ];
  const own = ['localhost', `localhost:${port}`, 'LOCALHOST.', 'a.localhost', '127.0.0.1', '10.1.2.3:8080'];
  const ofNetwork = ['[::1]:8080', '[fd00::7]', 'worker:8080', 'orders.internal', 'nas.local:443'];
  for (const path of ['/', '/metrics', '/status.json', '/shops/a', '/assets/refresh.js']) {
    for (const host of [...foreign, 'evillocal.example', 'a.notlocal']) {
      const refused = await askAs(port, path, host);
      expect([refused.status, refused.body], `${path} ${host}`).toEqual([
        421,
        'without a password this worker does not answer under that name: use its IP address or localhost, or set OPS_PASSWORD\n',
      ]);
      expect((await askAs(guarded.port, path, host)).status, 'it asks for the password').toBe(401);
    }
    for (const host of [...own, ...ofNetwork]) {
      expect((await askAs(port, path, host)).status, `${path} ${host}`).not.toBe(421);
    }
  }
  for (const path of ['/livez', '/readyz']) {
    expect(await askAs(port, path, 'whatever.example')).toEqual({ status: 200, body: 'ok\n' });
  }
});

test('every answer forbids to store it, to guess its type, to name it to others and to run what is not of this server', async () => {
  const failing = {
    ...WELL,
    status: async () => {
      throw REFUSED;
    },
    unreadiness: async () => 'no table',
  };
  const seen = new Set<number>();
  for (const [sources, password] of [
    [WELL, undefined],
    [failing, undefined],
    [WELL, 'needed'],
  ] as const) {
    await using server = await startOpsServer({ port: 0, password }, sources);
    for (const path of ['/', '/status.json', '/metrics', '/livez', '/readyz', '/elsewhere']) {
      const { headers, status } = await fetch(`http://127.0.0.1:${server.port}${path}`);
      seen.add(status);
      expect(
        ['x-content-type-options', 'cache-control', 'referrer-policy'].map((name) => headers.get(name)),
        path,
      ).toEqual(['nosniff', 'no-store', 'no-referrer']);
      expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
    }
  }
  expect(seen).toEqual(new Set([200, 401, 404, 503]));
});

test('pages load nothing but files of this server', async () => {
  await using server = await startOpsServer({ port: 0 }, WELL);
  const get = async (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
  const page = await get('/');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toContain('unsafe');
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(files.map((path) => path.split('.').at(-1))).toEqual(['svg', 'css', 'js']);
  for (const path of files) {
    const file = await get(path);
    expect([file.status, file.headers.get('cache-control')], path).toEqual([200, 'no-store']);
  }
  for (const path of [
    '/assets/none.js',
    '/assets/..%2f..%2fpage.ts',
    '/assets/constructor',
    '/shops/A',
    '/shops/none',
  ]) {
    expect((await get(path)).status, path).toBe(404);
  }
});
