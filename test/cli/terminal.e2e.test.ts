/** What a person sees on a terminal of 80 columns, and what Ctrl-C does. */
import { beforeAll, expect, test } from 'vitest';

import { runCommand, settingsFor, startCommand } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';
import { jsonLines } from '../support/json-lines.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { type OnTerminal, runOnTerminal, WITH_SCRIPT } from '../support/terminal.ts';
import { until, within } from '../support/until.ts';
import { fileShop, openShop, type ShopOfCommands } from '../support/shop-of-commands.ts';

const ORDERS = 150;
const opened = fileShop(
  { orders: ORDERS, days: 15, seed: 5, latencyMs: 40, pageCap: 15 },
  { SHOP_KEY: 'the-shop-in-the-north-of-town' },
);
let env: ShopOfCommands['env'];
beforeAll(() => {
  env = opened.env;
  const [spoiled] = opened.simulator.shop.orders();
  opened.simulator.shop.setRaw(spoiled?.orderId ?? 0, { summ: 'free' });
});

const countOrders = async () => (await opened.query('SELECT FROM tested.orders')).rows.length;

type Shown = Pick<OnTerminal, 'lines'>;
const tooWide = ({ lines }: Shown) => lines.filter((line) => line.length > 80);

/** Of a table with this in its heading. */
const tableLines = ({ lines }: Shown, heading: RegExp) =>
  lines.slice(lines.findIndex((line) => heading.test(line)));

test('a worker prints lines for people and the address of its page on a terminal, JSON elsewhere', async () => {
  await using database = await freshDatabase();
  const worker = { ...settingsFor(opened.simulator, database.url), PORT: '0' };
  for (const [terminal, isReady] of [
    [80, /^Shop default: 150 new orders[.]$/m],
    [undefined, /"msg":"worker started"/],
  ] as const) {
    const interrupt = new AbortController();
    const watch = (said: string) => isReady.test(said) && interrupt.abort();
    const ended = await runInProcess(['worker'], worker, interrupt.signal, watch, terminal);
    expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: '' });
    const lines = ended.stderr.trimEnd().split('\n');
    if (terminal === undefined) expect(lines.map((line) => typeof JSON.parse(line))).not.toContain('string');
    else
      expect(lines[0]).toMatch(
        /^Status page: http:\/\/127[.]0[.]0[.]1:[1-9]\d*\/ \(1 shop\)[.] Ctrl-C stops[.]$/,
      );
  }
});

test(
  'Ctrl-C ends a backfill with 130, and what it says is true: what was written is kept, and the next run continues',
  WITH_SCRIPT,
  async () => {
    const interrupted = await runOnTerminal(['backfill'], env, async ({ write }) => {
      await until('orders are written', async () => (await countOrders()) > 0);
      write('\u0003');
    });
    expect(interrupted.lines.join('\n')).toContain(
      'Interrupted. What was written is kept; run the command again to continue from there.',
    );
    expect(interrupted.code).toBe(130);
    const kept = await countOrders();
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(ORDERS);

    const finished = await runOnTerminal(['backfill'], env);
    expect(finished.code, finished.lines.join('\n')).toBe(3);
    // Sentences are wrapped.
    const text = finished.lines.join(' ');
    expect(text).toMatch(new RegExp(`Shop .*: ${ORDERS - kept} orders to load.*: about .* requests`));
    expect(text).toMatch(new RegExp(`Orders: .* ${ORDERS - kept} new`));
    const progress = finished.lines.filter((line) => /^the-shop-in-the-nor… .* orders/.test(line));
    expect(progress.length).toBeGreaterThan(2);
    expect(progress.some((line) => /[█░]{6,} +\d+ % +\d+\/\d+ orders · (…|\d+:\d\d) left/.test(line))).toBe(
      true,
    );
    const read = progress.map((line) =>
      Number(/([\d,]+)\/[\d,]+ orders/.exec(line)?.[1]?.replace(',', '') ?? 0),
    );
    expect(new Set(read).size, 'the orders move').toBeGreaterThan(1);
    expect(progress.filter((line) => line.length > 79)).toEqual([]);
  },
);

test('a command whose terminal is closed stops like one that is interrupted, and says so in its run', async () => {
  await using shop = await openShop({ orders: 120, days: 20, latencyMs: 20 });
  const running = startCommand(['backfill'], shop.env);
  await until('20 orders are asked for', () => shop.simulator.requests.count('order') >= 20);
  // The shell and the system may both tell.
  running.process.kill('SIGHUP');
  running.process.kill('SIGHUP');
  const outcome = await within('the command ends', running.outcome);
  expect(outcome, outcome.stderr).toMatchObject({ code: 130, stderr: expect.stringMatching(/Interrupted/) });
  const { rows } = await shop.query('SELECT status FROM tested.runs');
  expect(rows).toEqual([{ status: 'interrupted' }]);
});

test('while the shop does not answer, a comparison says so, until Ctrl-C ends it with 130', async () => {
  opened.simulator.faults.failNext(1000, 'http-502');
  const interrupt = new AbortController();
  const watch = (said: string) => said.includes('the shop does not answer; ') && interrupt.abort();
  const { code, stderr } = await runInProcess(['verify'], env, interrupt.signal, watch, 80);
  opened.simulator.faults.clear();
  expect(code, stderr).toBe(130);
  expect(stderr).toMatch(/the-shop-in-the-nor….* {2}the shop does not answer; .*\r.*Interrupted[.]/s);
});

/** What a command prints on a terminal of 80 columns. */
async function runOn80Columns(command: string): Promise<Shown> {
  const { stdout } = await runInProcess([command], env, undefined, undefined, 80);
  return { lines: stdout.split('\n') };
}

test('tables fit 80 columns', async () => {
  const rejections = await runOn80Columns('rejections');
  expect(tooWide(rejections)).toEqual([]);
  expect(rejections.lines.join('\n')).toMatch(/summ/);

  const status = await runOn80Columns('status');
  expect(tooWide(status)).toEqual([]);
  expect(status.lines.join('\n')).toMatch(/Freshness +\d{4}-\d\d-\d\d read \d+ s ago/);

  const verify = await runOn80Columns('verify');
  expect(tooWide({ lines: tableLines(verify, /^month/) })).toEqual([]);
  expect(verify.lines.join('\n')).toMatch(/^all +\w{3} +\d+ +\d+ +[\d.]+ +[\d.]+$/m);

  const shops = await runOn80Columns('shops');
  expect(tooWide(shops)).toEqual([]);
});

test('without a terminal nothing is cut', async () => {
  const { stdout } = await opened.run('shops');
  expect(stdout).toMatch(
    new RegExp(`^the-shop-in-the-north-of-town  ${opened.simulator.url}  .*synced$`, 'm'),
  );
});

test('--quiet leaves the result, and errors', async () => {
  const quiet = await runCommand(['sync', '--quiet'], env);
  expect(quiet.stderr).toBe('');
  expect(quiet.stdout).toMatch(/^Shop the-shop-in-the-north-of-town: /);
  const failed = await opened.run('verify --quiet --json', { SHOP_API_KEY: 'wrong' });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/^.*does not accept the login and API key.*\n$/);
  expect(jsonLines(failed.stdout)).toEqual([
    { shop: 'the-shop-in-the-north-of-town', status: 'failed', error: failed.stderr.trim() },
  ]);
});
