/** Secrets and a person, driven through whatever can fail: they show in no output and in no table but those for them. */
import pLimit from 'p-limit';
import type { QueryResultRow } from 'pg';
import { beforeAll, expect, test } from 'vitest';

import { SETTING_NAMES } from '../../../src/config/settings.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { withClient } from '../../support/database-clients.ts';
import { emptyDatabase } from '../../support/database.ts';
import { forFile } from '../../support/for-file.ts';
import { startHook } from '../../support/hook.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { findCanaries, PERSON, SECRETS } from './canary.ts';
import { type Path, settingPaths, shopPaths } from './failing-shops.ts';
import { startHostileDatabase } from './hostile-database.ts';
import { SHOP_FAILURES, startHostileShop } from './hostile-shop.ts';
import { RESOURCES, SPOILERS, startSpoiledShop } from './spoiled-shop.ts';
import { until } from '../../support/until.ts';
import { IS_LONG } from '../../support/long.ts';

/** They mostly wait for retries. */
const AT_ONCE = 32;

// Some commands are for all shops of the warehouse.
const database = forFile(emptyDatabase);
const client = {
  query: <Row extends QueryResultRow>(text: string) =>
    withClient(database.url, (opened) => opened.query<Row>(text)),
};
let base: Record<string, string>;
const taken = new Set<string>();

beforeAll(() => {
  base = {
    SHOP_LOGIN: 'admin',
    SHOP_API_KEY: SECRETS.apiKey,
    SHOP_TIMEZONE: 'Europe/Berlin',
    SHOP_MAX_RPS: '1000',
    PII_SECRET: SECRETS.guestSecret,
    OPS_PASSWORD: SECRETS.opsPassword,
    ALERT_WEBHOOK_URL: `http://127.0.0.1:9/${SECRETS.webhookToken}`,
    DATABASE_URL: database.url,
    SYNC_BUDGET: '1s',
    LOG_LEVEL: 'trace',
  };
});

/** Runs each with --debug. @returns what shows, by path */
async function drive(paths: readonly Path[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const limit = pLimit(AT_ONCE);
  const shown = await Promise.all(
    paths.map(({ name, args, env }) =>
      limit(async () => {
        const { code, stdout, stderr } = await runInProcess(['--debug', ...args], env);
        expect(code, `${name} fails: ${stdout}${stderr}`).not.toBe(0);
        expect(taken.has(name), name).toBe(false);
        taken.add(name);
        return [name, findCanaries(`${stdout}\n${stderr}`)] as const;
      }),
    ),
  );
  return Object.fromEntries(shown.filter(([, found]) => found.length > 0));
}

/** What shows in the tables that are not for personal data. */
async function searchTables(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('core', 'raw', 'pg_catalog', 'information_schema')`);
  const found: Record<string, readonly string[]> = {};
  for (const { name } of rows) {
    const { rows: texts } = await client.query<{ text: string }>(
      `SELECT coalesce(string_agg(t::text, E'\\n'), '') AS text FROM ${name} t`,
    );
    const hits = findCanaries(texts[0]?.text ?? '');
    if (hits.length > 0) found[name] = hits;
  }
  return found;
}

/** Runs a worker until a sweep has failed. @returns its log, and what it serves */
async function watchWorker(env: Readonly<Record<string, string>>): Promise<string> {
  const stop = new AbortController();
  let log = '';
  const running = runInProcess(['--debug', 'worker'], env, stop.signal, (stderr) => {
    log = stderr;
  });
  await until('a failed sweep', () => log.includes('worker started') && log.includes('sweep failed'));
  const port = /"port":(\d+)/.exec(log)?.[1];
  const authorization = `Basic ${Buffer.from(`ops:${SECRETS.opsPassword}`).toString('base64')}`;
  const served: string[] = [];
  for (const path of ['/', '/status.json', '/metrics', '/readyz', '/elsewhere']) {
    for (const headers of [{}, { authorization }]) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      served.push(JSON.stringify([...response.headers]), await response.text());
    }
  }
  const { rows: shops } = await client.query<{ shop_key: string }>('SELECT shop_key FROM core.shops');
  for (const { shop_key: key } of shops) {
    const response = await fetch(`http://127.0.0.1:${port}/shops/${key}`, { headers: { authorization } });
    expect(response.status).toBe(200);
    served.push(await response.text());
  }
  stop.abort();
  const { stdout, stderr } = await running;
  return [stdout, stderr, ...served].join('\n');
}

test('settings that are wrong are not repeated', async () => {
  expect(await drive(settingPaths(SETTING_NAMES, { ...base, SHOP_URL: 'https://shop.invalid' }))).toEqual({});
});

/** Those that answer in different places of the program. */
const EVERYDAY =
  /: (a refused login with|a message|a person in|JSON that ends|other fields|an order without|no such host|a proxy)/;

test('shops that fail are not repeated', async () => {
  await using shop = await startHostileShop();
  const paths = shopPaths(shop, base, 9);
  expect(await drive(IS_LONG ? paths : paths.filter(({ name }) => EVERYDAY.test(name)))).toEqual({});
  expect(await searchTables()).toEqual({});
});

/** What everyday runs put into the records of a kind, beside short texts. */
const OTHER_FORM: Readonly<Record<string, string>> = { orders: 'objects', contents: 'texts' };

test('records that hold a person where none belongs are not repeated', async () => {
  await using stack = new AsyncDisposableStack();
  const paths: Path[] = [];
  for (const resource of Object.keys(RESOURCES)) {
    for (const [index, spoiler] of Object.keys(SPOILERS).entries()) {
      // One form is enough for what is read by the same means.
      const isOther = IS_LONG ? ['orders', 'contents'].includes(resource) : OTHER_FORM[resource] === spoiler;
      if (spoiler !== 'short texts' && !isOther) continue;
      const { url } = stack.use(await startSpoiledShop(resource, spoiler));
      // Time for every request, on a busy machine, too.
      const env = { ...base, SHOP_URL: url, SHOP_KEY: `spoiled-${resource}-${index}`, SYNC_BUDGET: '1m' };
      paths.push({ name: `backfill: ${spoiler} in ${resource}`, args: ['backfill', '--json'], env });
    }
  }
  expect(await drive(paths)).toEqual({});
  expect(await searchTables()).toEqual({});
  const { rows } = await client.query(
    "SELECT source_key FROM ops.rejections WHERE source_key !~ '^[0-9]{1,19}$'",
  );
  expect(rows).toEqual([]);
  const { rows: rejected } = await client.query<{ resource: string }>(
    'SELECT DISTINCT resource FROM ops.rejections ORDER BY resource',
  );
  expect(rejected.map(({ resource }) => resource)).toEqual(['content', 'group', 'order', 'user']);
});

test('databases that fail are not repeated', async () => {
  await using stack = new AsyncDisposableStack();
  const paths: Path[] = [];
  const url = (host: string, rest = '') => `postgres://me:${SECRETS.databasePassword}@${host}/orders${rest}`;
  const add = (name: string, databaseUrl: string, command = 'status') =>
    paths.push({
      name: `database: ${name}`,
      args: [command],
      env: { ...base, SHOP_URL: 'http://127.0.0.1:9', PORT: '0', DATABASE_URL: databaseUrl },
    });
  for (const code of SQL_STATES) {
    const { port } = stack.use(await startHostileDatabase(code));
    add(code ?? 'not PostgreSQL', url(`127.0.0.1:${port}`));
    add(`${code ?? 'not PostgreSQL'} at a worker`, url(`127.0.0.1:${port}`), 'worker');
  }
  add('nothing listens', url('127.0.0.1:9'));
  add('no such host', url('database.invalid'), 'migrate');
  add('a file that is absent', url('127.0.0.1:9', `?sslmode=verify-full&sslrootcert=/${SECRETS.apiKey}`));
  const { host } = new URL(database.url);
  add('no such user', url(host), 'rejections');
  add('no TLS', `${url(host)}?sslmode=require`, 'replay');
  expect(await drive(paths)).toEqual({});
});

test('a database that refuses the rows of a run is not repeated', async () => {
  await client.query(REFUSE_ROWS);
  await using simulator = await startSimulator({ orders: 5, days: 1, apiKey: SECRETS.apiKey });
  for (const { orderId } of simulator.shop.orders()) {
    simulator.shop.setRaw(orderId, { fio: PERSON.name, email: PERSON.email, phone: PERSON.phone });
  }
  await using hook = await startHook();
  hook.answer = () => 500;
  const paths = REFUSALS.map((refusal) => {
    const env = { ...base, SHOP_URL: simulator.url, SHOP_KEY: refusal, ALERT_WEBHOOK_URL: hook.url };
    return { name: `rows: ${refusal}`, args: ['backfill', '--json'], env };
  });
  expect(await drive(paths)).toEqual({});
  const of = { SHOP_URL: simulator.url, SHOP_KEY: 'broken', ALERT_WEBHOOK_URL: hook.url, PORT: '0' };
  expect(findCanaries(await watchWorker({ ...base, ...of }))).toEqual([]);
  expect(hook.requests.flatMap(({ body }) => findCanaries(body.text))).toEqual([]);
  expect(await searchTables()).toEqual({});
  await client.query('DROP FUNCTION public.refuse_row() CASCADE');
});

test('a webhook that fails is not repeated', async () => {
  await using shop = await startHostileShop();
  await using simulator = await startSimulator({ orders: 5, days: 1, apiKey: SECRETS.apiKey });
  const webhooks = Object.keys(SHOP_FAILURES).filter((name) =>
    /error page|refused|reason|redirect|HTTP/.test(name),
  );
  const paths = webhooks.map((failure, index) => {
    const ALERT_WEBHOOK_URL = `${shop.address(failure)}/${SECRETS.webhookToken}`;
    const env = { ...base, SHOP_URL: simulator.url, SHOP_KEY: `hook-${index}`, ALERT_WEBHOOK_URL };
    return { name: `webhook: ${failure}`, args: ['check', '--alert'], env };
  });
  expect(await drive(paths)).toEqual({});
  expect(await searchTables()).toEqual({});
});

test('what is printed afterwards of all these shops shows none of it', async () => {
  for (const command of ['status', 'status --json', 'rejections --all', 'replay --json']) {
    const { code, stdout, stderr } = await runInProcess(['--debug', ...command.split(' ')], base);
    expect(code, `${command}: ${stderr}`).not.toBe(2);
    expect(findCanaries(`${stdout}\n${stderr}`), command).toEqual([]);
  }
  expect(await searchTables()).toEqual({});
  // The person is in the tables that are for it, or nothing was driven through at all.
  const { rows } = await client.query<{ text: string }>(
    "SELECT string_agg(p::text, ' ') AS text FROM core.order_persons p",
  );
  expect(findCanaries(rows[0]?.text ?? '').length).toBeGreaterThan(3);
  expect(taken.size).toBeGreaterThanOrEqual(40);
});

const SQL_STATES = ['28P01', '3D000', '53100', '53300', '57P03', '42501', '08P01', 'XX000', undefined];

/** Keys of shops, each with a failure of its own. */
const REFUSALS = IS_LONG ? ['disk-full', 'killed', 'violated', 'broken'] : ['killed', 'violated'];

const REFUSE_ROWS = `
  CREATE FUNCTION public.refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    CASE (SELECT shop_key FROM core.shops WHERE shop_id = NEW.shop_id)
      WHEN 'disk-full' THEN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = NEW::text, DETAIL = NEW::text;
      WHEN 'killed' THEN PERFORM pg_terminate_backend(pg_backend_pid());
      WHEN 'violated' THEN RAISE EXCEPTION USING ERRCODE = '23514', MESSAGE = NEW::text, DETAIL = NEW::text;
      WHEN 'broken' THEN RAISE EXCEPTION USING ERRCODE = 'XX000', MESSAGE = NEW::text, HINT = NEW::text;
      ELSE NULL;
    END CASE;
    RETURN NEW;
  END $$;
  CREATE TRIGGER refuse_row BEFORE INSERT ON core.orders FOR EACH ROW EXECUTE FUNCTION public.refuse_row();`;
