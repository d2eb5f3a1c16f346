/** What staff type of a person into orders, lines, accounts and groups: where it may be found, and where not. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { Client } from 'pg';
import { expect, test } from 'vitest';

import { settingsFor } from '../../../support/command-line.ts';
import { freshDatabase } from '../../../support/database.ts';
import { startHook } from '../../../support/hook.ts';
import { openFolder } from '../../../support/scratch-folder.ts';
import { testTimeoutMs } from '../../../support/patience.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { until } from '../../../support/until.ts';
import { NOBODY, ORDERS, TEXTS, TRACES } from './planted.ts';
import { startPlantedShop } from './planted-shop.ts';

/** Where persons live, and the views that show them to those who may see them. */
const OF_PERSONS = ['bi_pii.order_contacts', 'bi_pii.users', 'core.order_persons', 'core.user_persons'];
/** Where the name of a group is. A group is of no person: contacts are taken out of it, a name cannot be. */
const OF_GROUPS = ['bi.user_groups', 'core.user_groups', 'raw.user_groups'];

/** Tables and views that hold a text, with the columns. */
async function search(client: Client, pattern: string): Promise<readonly string[]> {
  const { rows: relations } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = ANY ('{r,p,v,m}') AND n.nspname = ANY ('{bi,bi_pii,core,raw,ops}') ORDER BY 1`,
  );
  const each = relations.map(
    ({ name }) => `SELECT DISTINCT '${name}' AS name, part.key
      FROM ${name} t CROSS JOIN jsonb_each_text(to_jsonb(t)) part WHERE part.value ~* $1`,
  );
  const { rows } = await client.query<{ name: string; key: string }>(each.join(' UNION ALL '), [pattern]);
  return rows.map(({ name, key }) => `${name} ${key}`).toSorted();
}

const relationsOf = (places: readonly string[]) => [
  ...new Set(places.map((place) => place.split(' ')[0] ?? '')),
];

/** What a role that may only read reports reads of all that it may. */
async function readAs(client: Client, role: string): Promise<string> {
  await client.query(`SET ROLE ${role}`);
  const { rows: views } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, viewname) AS name FROM pg_views
     WHERE schemaname = ANY ('{bi,bi_pii,core,raw,ops}') AND has_table_privilege(format('%I.%I', schemaname, viewname), 'SELECT')
       AND has_schema_privilege(schemaname, 'USAGE')`,
  );
  const texts: string[] = [];
  for (const { name } of views) {
    const { rows } = await client.query<{ text: string | null }>(
      `SELECT string_agg(t::text, E'\\n') AS text FROM ${name} t`,
    );
    texts.push(`${name} ${rows[0]?.text ?? ''}`);
  }
  await expect(client.query('SELECT FROM core.order_persons')).rejects.toThrow(/permission denied/);
  await client.query('RESET ROLE');
  return texts.join('\n');
}

const tracesIn = (text: string) => text.match(new RegExp(`.{0,80}(?:${TRACES}).{0,40}`, 'giu')) ?? [];

async function readFolder(path: string): Promise<string> {
  const files = await readdir(path, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }) => {
      const bytes = await readFile(join(parentPath, name));
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    });
  return (await Promise.all(texts)).join('\n');
}

type Env = Readonly<Record<string, string>>;

/** Everything that commands print and write, and what a worker logs and serves. */
async function printAll(env: Env, orderId: number): Promise<string> {
  await using folder = await openFolder('canaries');
  const printed: string[] = [];
  const commands = [
    'backfill --force --json',
    'status',
    'status --json',
    'verify --lines --json',
    'statuses',
    'fields',
    'rejections --json',
    'fetch orders',
    'fetch orders --json',
    'fetch groups --json',
    `fetch order ${orderId}`,
    `fetch order ${orderId} --json`,
    'replay --json',
    'check',
    'sql --json orders',
    `export --to ${folder.path} --format csv`,
  ];
  for (const command of commands) {
    const { stdout, stderr } = await runInProcess(['--debug', ...command.split(' ')], env);
    printed.push(command, stdout, stderr);
  }
  return [...printed, await readFolder(folder.path), await serve(env)].join('\n');
}

async function serve(env: Env): Promise<string> {
  const stop = new AbortController();
  let log = '';
  const running = runInProcess(['--debug', 'worker'], { ...env, PORT: '0' }, stop.signal, (stderr) => {
    log = stderr;
  });
  await until('a worker', async () => log.includes('worker started'));
  const port = /"port":(\d+)/.exec(log)?.[1];
  const served: string[] = [];
  for (const path of ['/', '/status.json', '/metrics', '/shops/default']) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    served.push(`${path} ${await response.text()}`);
  }
  stop.abort();
  const { stdout, stderr } = await running;
  return [stdout, stderr, ...served].join('\n');
}

test.for(['keep', 'pseudonymize'])(
  'with PII_MODE=%s, persons appear only in the tables and views for persons, and nowhere once they are forgotten',
  // It runs most commands of the program, one after the other.
  { timeout: 10 * testTimeoutMs() },
  async (mode) => {
    await using shop = await startPlantedShop();
    await using database = await freshDatabase();
    await using hook = await startHook();
    await using stack = new AsyncDisposableStack();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    stack.defer(() => client.end());
    const env = {
      ...settingsFor(shop.simulator, database.url),
      SHOP_URL: shop.url,
      PII_MODE: mode,
      ALERT_WEBHOOK_URL: hook.url,
      PII_SECRET: 'a secret of the tests',
      LOG_LEVEL: 'trace',
    };
    const run = async (...args: readonly string[]) => {
      const ended = await runInProcess(args, env);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      return ended.stdout + ended.stderr;
    };
    const allowed = mode === 'keep' ? OF_PERSONS : [];
    const expectIn = async (relations: readonly string[]) => {
      const places = await search(client, TRACES);
      expect(places.filter((place) => !relations.includes(place.split(' ')[0] ?? ''))).toEqual([]);
      expect(relationsOf(places)).toEqual(relations);
      expect(tracesIn(await readAs(client, 'bi_reader'))).toEqual([]);
      expect(tracesIn(await readAs(client, 'bi_pii_reader')).length > 0).toBe(relations.length > 0);
    };

    const first = await run('backfill');
    await expectIn(allowed);
    shop.addField('gift_note');
    expect(tracesIn(first + (await printAll(env, shop.planted[0] ?? 0)))).toEqual([]);
    await expectIn(allowed);
    const alerts = hook.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    // What is not stored is not looked at for new fields either.
    expect(alerts.includes('gift_note')).toBe(mode === 'keep');
    expect(tracesIn(alerts)).toEqual([]);
    const groups = relationsOf(await search(client, NOBODY));
    expect(groups).toEqual(OF_GROUPS);
    // What was found is counted, in whichever mode; without persons, the key of an order is not stored at all.
    const texts = mode === 'keep' ? TEXTS : TEXTS - 1;
    const { rows } = await client.query<{ texts: number; orders: number }>(
      `SELECT withheld_texts AS texts, count(*)::int AS orders FROM bi.data_quality
       WHERE withheld_texts > 0 GROUP BY 1`,
    );
    expect(rows).toEqual([{ texts, orders: ORDERS.length }]);

    await run('forget', '--email', 'w.zwackelmann@mail.canary', '--shop', 'default');
    await run('forget', '--user-id', '70401', '--shop', 'default');
    await run('forget', '--phone', '+7 916 555 12 34', '--shop', 'default');
    await expectIn([]);
    // What the shop still sends brings none of it back.
    const again = await run('backfill', '--force');
    const compared = await runInProcess(['verify', '--lines', '--json'], env);
    expect(tracesIn(again + compared.stdout + compared.stderr)).toEqual([]);
    await expectIn([]);
  },
);
