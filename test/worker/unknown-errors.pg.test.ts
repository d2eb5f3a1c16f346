/** An error that nobody foresaw, with a person in its message: what becomes of it wherever it may end up. */
import { pino } from 'pino';
import { expect, vi } from 'vitest';

import { test } from '../support/fixtures.ts';
import { runCommandLine } from '../../src/cli/program/program.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { processAlerts } from '../../src/worker/alerts/deliver-alerts.ts';
import { createWebhook } from '../../src/worker/alerts/webhook.ts';
import { ShopRegistry } from '../../src/worker/shop-registry.ts';
import { findCanaries, PORTRAIT } from '../cli/canaries/canary.ts';
import { cliContext } from '../support/cli-context.ts';
import { NO_FILE } from '../support/command-line.ts';
import { dumpTables } from '../support/dump.ts';
import { until } from '../support/until.ts';
import { startHook } from '../support/hook.ts';
import { impatientShop } from '../support/impatient-shop.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { sweepOnce, testClock } from '../support/sweep.ts';
import { startWorker } from './running-worker.ts';

/** Of a kind that the program does not know, all the way down. */
const throws = () => {
  throw Object.assign(new RangeError(PORTRAIT, { cause: new TypeError(PORTRAIT) }), { row: PORTRAIT });
};
const rejects = async () => Promise.resolve().then(throws);
const PRESENT = Temporal.Instant.from('2026-03-10T12:00:00Z');

/** A log, and what it holds. */
function openLog() {
  const lines: string[] = [];
  return { lines, logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }) };
}

test('a run, its alert and the status name the kind of the error, and nothing else of it', async ({
  own: { client, db, url },
}) => {
  await using simulator = makeShopInProcess({ orders: 3, days: 1, now: PRESENT });
  await using hook = await startHook();
  const clock = testClock(PRESENT);
  const { lines, logger } = openLog();
  const means = { now: clock.now, logger };
  await sweepOnce(simulator, db, { kind: 'sync' }, {}, means);
  for (let failures = 1; failures <= 3; failures++) {
    clock.pass({ minutes: 10 });
    const broken = { ...means, through: <Api>(api: Api) => ({ ...api, listOrders: throws }) };
    await expect(sweepOnce(simulator, db, { kind: 'sync' }, {}, broken)).rejects.toThrow(RangeError);
  }
  const { signal } = new AbortController();
  const webhook = createWebhook({ url: hook.url });
  await processAlerts({ db, logger, now: clock.now, webhook, stopping: signal, signal });
  expect(hook.taken().join('\n')).toContain('RangeError');
  const status = await runInProcess(['--debug', 'status', '--json'], { DATABASE_URL: url });
  expect(status.stdout).toContain('RangeError');
  const { rows } = await client.query(
    `SELECT error FROM ops.runs JOIN core.shops USING (shop_id) WHERE shop_key = 'test' AND status = 'failed'`,
  );
  expect(rows).toEqual([1, 2, 3].map(() => ({ error: 'a bug in order-sync (RangeError)' })));
  const told = hook.requests.map(({ body }) => JSON.stringify(body));
  const shown = [...lines, status.stdout, status.stderr, ...told, await dumpTables(client)];
  expect(findCanaries(shown.join('\n'))).toEqual([]);
});

test('for a row that the database refuses, a run names the table and nothing of the person', async ({
  own: { client, db },
}) => {
  await using simulator = makeShopInProcess({ orders: 3, days: 1, now: PRESENT });
  const { lines, logger } = openLog();
  const means = { now: () => PRESENT, logger };
  await client.query(`CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '%', NEW::text; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON core.order_persons FOR EACH ROW EXECUTE FUNCTION public.refuse()`);
  const [first] = simulator.shop.orders();
  simulator.shop.editOrder(first?.orderId ?? 0, { fio: PORTRAIT });
  await expect(sweepOnce(simulator, db, { kind: 'sync' }, {}, means)).rejects.toThrow('Failed query');
  const { rows } = await client.query(
    `SELECT error FROM ops.runs JOIN core.shops USING (shop_id) WHERE shop_key = 'test'`,
  );
  const error = 'the database: writing core.order_persons: it refused a value (SQLSTATE P0001)';
  expect(rows).toEqual([{ error }]);
  expect(findCanaries([...lines, await dumpTables(client)].join('\n'))).toEqual([]);
});

test('a worker names the kind of the error in its log and its pages, and nothing else of it', async ({
  own: { client, db, url },
}) => {
  await using simulator = await startSimulator({ orders: 3, days: 1 });
  const { lines, logger } = openLog();
  const registry = new ShopRegistry(logger);
  registry.configure([impatientShop(simulator.url)]);
  const api = registry.find('test')?.api;
  if (api === undefined) throw new Error('the shop is configured');
  vi.spyOn(api, 'listOrders').mockImplementation(throws);
  const worker = await startWorker({ db, databaseUrl: url, registry, logger, unreadiness: rejects });
  const served: string[] = [];
  try {
    await until('a failed sweep', () => lines.some((line) => line.includes('sweep failed')));
    for (const path of ['', 'status.json', 'metrics', 'readyz', 'shops/test']) {
      served.push(await (await fetch(`http://127.0.0.1:${worker.port}/${path}`)).text());
    }
    expect(lines.join('\n')).toContain('a bug in order-sync (RangeError)');
    expect(served.join('\n')).toContain('RangeError');
  } finally {
    await worker[Symbol.asyncDispose]();
  }
  expect(findCanaries([...lines, ...served, await dumpTables(client)].join('\n'))).toEqual([]);
});

test.for([
  { name: 'sql', args: ['sql'] },
  { name: 'sql --json', args: ['sql', '--json'] },
  { name: 'worker', args: ['worker'] },
])(
  '$name that ends with the error names its kind, and with --debug where it was',
  async ({ args }, { shared: { url } }) => {
    const shop = { SHOP_URL: 'http://127.0.0.1:9', SHOP_LOGIN: 'a', SHOP_API_KEY: 'b', SHOP_TIMEZONE: 'UTC' };
    const env = { ...NO_FILE, ...shop, DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'trace' };
    const { written, ...context } = cliContext({ env, readInput: rejects, onHangup: throws });
    const code = await runCommandLine(context, ['--debug', ...args]);
    const text = [...written.out, ...written.err].join('\n');
    expect(code).not.toBe(0);
    expect(text).toContain('(RangeError)');
    expect(text).toContain('unknown-errors.pg.test.ts');
    expect(findCanaries(text)).toEqual([]);
  },
);
