/** Every next step that the program can name is taken as it is told; then it is told no more, or differently. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { NEXT_STEPS, type NextStep, nextStep } from '../../src/model/next-step.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { settingsFor } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { emptyDatabase } from '../support/database.ts';
import { answerBytes } from '../support/fault-proxy-http.ts';
import { LISTS, startFaultProxy } from '../support/fault-proxy.ts';
import { createLogin, type Login } from '../support/login.ts';
import { IS_LONG } from '../support/long.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { openFolder } from '../support/scratch-folder.ts';

const SURPLUS = 15;
const DEMO = 'test/cli/demo.e2e.test.ts';
const KEPT_DEMO = 'test/cli/demo-kept.long.e2e.test.ts';
/** Of all requests that reached the shop. */
const methods = new Set<string>();
const opened = new AsyncDisposableStack();
let simulator: Simulator;
/** May read and write, and own nothing. */
let worker: Login;
const folder = await openFolder('next-steps');
const absent = join(folder.path, 'absent.env');
/** The key of the shop, which is renamed on the way. */
let shop = 'default';
let env: Readonly<Record<string, string>>;

/** The shop's total counts more than it lists. */
beforeAll(async () => {
  const dialect = { statuses: 'custom', numbers: 'number' } as const;
  simulator = opened.use(await startSimulator({ orders: 40, days: 6, seed: 9, dialect }));
  simulator.requests.onRequest(({ method }) => void methods.add(method));
  const proxy = opened.use(await startFaultProxy(simulator.url));
  proxy.plan({
    path: LISTS,
    times: Infinity,
    async act({ answer, socket }) {
      const { body, ...rest } = await answer();
      const more = (_: string, total: string) => `"total":${Number(total) + SURPLUS}`;
      const text = body.toString().replace(/"total":(\d+)/, more);
      socket.write(answerBytes({ ...rest, body: Buffer.from(text) }));
    },
  });
  opened.use(folder);
  const database = opened.use(await emptyDatabase());
  worker = opened.use(await createLogin(database.url));
  env = { ...settingsFor(simulator, database.url), SHOP_URL: proxy.url, FRESHNESS: '*:7d' };
});
afterAll(() => opened.disposeAsync());

const query = (text: string) => withClient(env['DATABASE_URL'] ?? '', (client) => client.query(text));
const ofShop = () => `shop_id = (SELECT shop_id FROM core.shops WHERE shop_key = '${shop}')`;
const insert = (columns: string, values: string) =>
  query(`INSERT INTO ops.${columns.replace('(', '(shop_id, ')}
    SELECT shop_id, ${values} FROM core.shops WHERE shop_key = '${shop}'`);
/** Days are due, and this is how the last runs ended. */
const ends =
  (kind: string, status = 'interrupted', count = 1) =>
  async () => {
    await query(`UPDATE ops.days SET verified_at = now() - interval '3 years' WHERE ${ofShop()}`);
    for (let run = 0; run < count; run += 1)
      await insert(
        'runs (kind, status, error, started_at, finished_at, version)',
        `'${kind}', '${status}', 'as told', clock_timestamp(), clock_timestamp(), '0'`,
      );
  };
const state = (change: string) => () => query(`UPDATE ops.shop_state SET ${change} WHERE ${ofShop()}`);
type Situation = {
  readonly step: NextStep;
  /** The command line that tells it. */
  readonly told: string;
  /** What leads there. */
  readonly when?: () => Promise<unknown>;
  /** Settings with which that is told; they stay. */
  readonly under?: Readonly<Record<string, string>>;
  /** Settings with which only that is told. */
  readonly only?: () => Readonly<Record<string, string>>;
  /** Options that the step is taken with. */
  readonly by?: string;
  /** What a step prints that shows something and changes nothing. */
  readonly shows?: RegExp;
  /** The test that takes a step which would last here. */
  readonly taken?: string;
  /** What is told after the step. */
  readonly changed?: RegExp;
  /** Whether the step is told in another situation, too, which everyday runs try. */
  readonly isAgain?: true;
};

/** In this order, for one shop, from its first load to its deletion. */
const SITUATIONS: readonly Situation[] = [
  {
    step: 'load shop',
    told: 'check',
    changed: /none are left to load; the shop states 55 but lists 40: its total counts more than it lists/,
  },
  { step: 'load shop', told: 'status', when: ends('backfill'), isAgain: true },
  {
    step: 'list rejections',
    told: 'status',
    when: async () => {
      await insert('rejections (resource, source_key, reason, digest)', `'user', '7', 'of the test', 'x'`);
      // As a run counts it.
      await query(`UPDATE ops.shop_figures SET open_rejections = 1 WHERE ${ofShop()}`);
    },
    shows: /of the test/,
  },
  { step: 'load again', told: 'rejections', shows: /days verified/ },
  { step: 'keep synced', told: 'check', taken: 'test/worker/shutdown.e2e.test.ts' },
  {
    step: 'try without shop',
    told: 'check',
    only: () => ({ SHOP_URL: '', SHOP_LOGIN: '', SHOP_API_KEY: '', SHOP_TIMEZONE: '' }),
    taken: DEMO,
  },
  { step: 'ask the demo', told: 'demo', taken: DEMO },
  { step: 'list demo views', told: 'demo', taken: KEPT_DEMO },
  { step: 'sync due days', told: 'status', when: ends('sync') },
  {
    step: 'sync due days',
    told: 'status',
    when: state(`findings = '{"credentials": "HTTP 401"}'`),
    isAgain: true,
  },
  {
    step: 'repair',
    told: 'verify',
    when: async () => Promise.resolve(simulator.shop.tick(undefined, { newOrders: 2, edits: 0 })),
    isAgain: true,
  },
  {
    step: 'repair',
    told: 'verify',
    when: () => query('DELETE FROM core.orders WHERE order_id = (SELECT max(order_id) FROM core.orders)'),
  },
  {
    step: 'accept deletions',
    told: 'backfill --force',
    when: async () => {
      const gone = simulator.shop.orders().slice(0, 25);
      for (const { orderId } of gone) simulator.shop.deleteOrder(orderId);
      return Promise.resolve();
    },
  },
  {
    step: 'compare',
    told: 'status',
    when: async () => {
      // As if they were looked for again, five minutes after they were missed.
      await query(`UPDATE core.orders SET deleted_at = missing_since WHERE ${ofShop()}`);
      await ends('verify')();
    },
  },
  { step: 'replay payloads', told: 'status', when: ends('replay'), isAgain: true },
  { step: 'replay payloads', told: 'status', when: state('normalizer_version = 0') },
  { step: 'replace guest keys', told: 'sync', under: { PII_SECRET: 'a secret of the test, long enough' } },
  {
    step: 'apply migrations',
    told: 'status',
    when: () =>
      query(`DELETE FROM ops.migrations WHERE name = 'views/orders';
      GRANT order_sync_worker TO ${worker.name}`),
    only: () => ({ DATABASE_URL: worker.url }),
  },
  { step: 'write settings', told: `status --config ${absent}`, by: `--from-env --config ${absent}` },
  { step: 'list fields', told: 'status', shows: /hidden until you show it/ },
  { step: 'show field', told: 'status' },
  { step: 'hide field', told: 'status' },
  {
    step: 'ask for fields',
    told: 'fields',
    when: () =>
      query(`UPDATE core.order_persons SET fields = '{"Anna M.": {"value": "x"}}' WHERE ${ofShop()}`),
    shows: /Anna M/,
  },
  { step: 'list statuses', told: 'status', shows: /statuses set/ },
  { step: 'classify status', told: 'status' },
  { step: 'name payment', told: 'statuses', shows: /Invoice/ },
  { step: 'erase again', told: 'status', when: ends('forget') },
  { step: 'list views', told: 'sql --views absent', shows: /daily_sales/ },
  { step: 'ask a query', told: 'sql', shows: /answer/ },
  { step: 'check shop', told: 'status', when: ends('sync', 'failed', 3), shows: /accepts the login/ },
  { step: 'show status', told: 'status', when: ends('verify'), shows: /Complete through/ },
  { step: 'correct zone', told: 'check', under: { SHOP_TIMEZONE: 'Europe/Moscow' } },
  { step: 'preview deletion', told: 'shops pause default', shows: /core.orders/ },
  {
    step: 'resume shop',
    told: 'status',
    when: () => query(`UPDATE core.shops SET paused_at = now() WHERE ${ofShop()}`),
  },
  {
    step: 'pause shop',
    told: 'status',
    when: async () => {
      await state("looked_at = now() - interval '30 days'")();
      await query(`UPDATE ops.days SET last_verified_at = now() - interval '30 days' WHERE ${ofShop()}`);
      await query(`UPDATE core.shops SET resumed_at = NULL WHERE ${ofShop()}`);
    },
  },
  {
    step: 'finish deletion',
    told: 'sync',
    when: () =>
      query(`UPDATE core.shops SET paused_at = NULL, deletion_started_at = now() WHERE ${ofShop()}`),
  },
];

const run = async (args: string, only: Situation['only']) => {
  const { stdout, stderr } = await runInProcess(args.split(' '), { ...env, ...only?.() });
  const unwrapped = `${stdout}${stderr}`.replaceAll(/\n {4,}/g, ' ').replaceAll(/(.{85})\n(?=[\w`])/g, '$1 ');
  return unwrapped.split('\n');
};

/** What a person types for what is in capitals: what the text itself lists, or an own choice. */
function typed(command: string, line: string): readonly string[] {
  const code = /“([^”]+)” \(/.exec(line)?.[1] ?? 'S';
  const words: Readonly<Record<string, string>> = {
    CODE: code,
    STAGE: 'open',
    NAME: 'Invoice',
    KEY: 'company',
    VIEW: 'daily_sales',
    '"SELECT …"': 'SELECT 42 AS answer',
  };
  const said = command.replace('order-sync ', '').replace('...', '--user-id 999');
  return [...said.matchAll(/"[^"]*"|\S+/g)].map(([word]) => words[word] ?? word.replaceAll('"', ''));
}

/** The line that tells it, and the command in it. */
function find(lines: readonly string[], step: NextStep): { readonly line: string; readonly command: string } {
  const told = nextStep(step, { shop: 'WORD', field: 'WORD', to: 'WORD' })
    .replace(' --shop WORD', '( --shop WORD)?')
    .replaceAll('...', String.raw`\.\.\.`)
    .replaceAll('WORD', String.raw`[\w/]+`);
  const command = lines.flatMap((line) => new RegExp(told).exec(line) ?? [])[0];
  const line = lines.find((said) => command !== undefined && said.includes(command));
  if (line === undefined || command === undefined)
    throw new Error(`${told} is not told in:\n${lines.join('\n')}`);
  return { line, command };
}

/** What a command said last, as long as it would say it again: most of what is told is told by `status`. */
const said = new Map<string, readonly string[]>();
const ask = async ({ told, only }: Situation) => {
  const lines = said.get(told) ?? (await run(told, only));
  if (only === undefined) said.set(told, lines);
  return lines;
};

const TRIED = SITUATIONS.filter(({ isAgain }) => IS_LONG || isAgain !== true);
test.each(TRIED)('"$step" is suggested by $told', async (situation) => {
  const { step, told, when, under, by = '', shows, changed, taken } = situation;
  if (taken !== undefined) expect(existsSync(taken)).toBe(true);
  if (told === 'demo') return;
  if (when !== undefined || under !== undefined || situation.only !== undefined) said.clear();
  await when?.();
  env = { ...env, ...under };
  const { line, command } = find(await ask(situation), step);
  if (taken !== undefined) return;
  const followed = await runInProcess(typed(`${command} ${by}`, line), env);
  expect(followed.code, `${command}: ${followed.stdout}${followed.stderr}`).toBe(
    step === 'preview deletion' ? 1 : 0,
  );
  if (under?.['SHOP_KEY'] !== undefined) shop = under['SHOP_KEY'];
  if (shows === undefined) {
    said.clear();
    expect(await ask(situation)).not.toContain(line);
  } else expect(followed.stdout).toMatch(shows);
  if (changed !== undefined) expect((await ask(situation)).join('\n')).toMatch(changed);
});

test('no step changes anything in the shop: all requests are to read', () => {
  expect(methods).toEqual(new Set(['GET']));
});

test('every step of the table is suggested somewhere', () => {
  expect(new Set(SITUATIONS.map(({ step }) => step))).toEqual(new Set(Object.keys(NEXT_STEPS)));
});
