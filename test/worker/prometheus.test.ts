/** The metrics as Prometheus takes them, and what deploy/prometheus makes of them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { z } from 'zod';

import { createMetrics, type Scrape } from '../../src/worker/metrics.ts';

import { needs } from '../support/needs.ts';
import { run, shopJson, throttle } from './status-json.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/prometheus');

const promtool = (args: readonly string[], input = '') => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, input, encoding: 'utf8' });
  return { status, output: stdout + stderr };
};
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const WITH_PROMTOOL = needs(hasPromtool, 'promtool is not installed');

const now = Temporal.Instant.from('2026-03-10T12:00:00Z');
const SHOP = {
  status: shopJson({ days_due: 1, open_rejections: 2, throttle: throttle({ circuit: 'open' }) }),
  completeSince: now.subtract({ minutes: 1 }),
  isLeased: true,
};
const SCRAPE: Scrape = {
  shops: [SHOP, { ...SHOP, status: shopJson({ shop: 'south', days_due: null, throttle: null }) }],
  now,
  turns: { queued: 1, active: 2, failed: 0 },
};

async function ownMetrics(scrape: Scrape): Promise<string> {
  const metrics = createMetrics(async () => scrape);
  metrics.countAttempt('north', { route: 'orders', outcome: 'ok', tookMs: 12 });
  metrics.countSweep('north', undefined);
  const { run_id: _id, ...counts } = run();
  metrics.countSweep('north', { ...counts, status: 'ok', windows_proven: 1, windows_unproven: 0 });
  const text = await metrics.render();
  // The rest is of Node.js, named by the library.
  return text
    .replaceAll(/^(# \w+ )?(?!order_sync_|# )\w+.*\n/gm, '')
    .replaceAll(/^# \w+ (?!order_sync_).*\n/gm, '');
}

test('every metric of the rules and the dashboard is one that workers have', async () => {
  const files = ['order-sync.rules.yml', 'dashboard.json'].map((name) =>
    readFileSync(join(FOLDER, name), 'utf8'),
  );
  const named = new Set([...files.join().matchAll(/order_sync_\w+/g)].map(([name]) => name));
  const text = await ownMetrics(SCRAPE);
  expect(named.size).toBeGreaterThan(3);
  for (const name of named) expect(text).toMatch(new RegExp(`^${name}(\\{| )`, 'm'));
});

test('promtool finds nothing wrong with our metrics', WITH_PROMTOOL, async () => {
  expect(promtool(['check', 'metrics'], await ownMetrics(SCRAPE))).toEqual({ status: 0, output: '' });
});

test('promtool accepts configuration and rules, and the rules pass their tests', WITH_PROMTOOL, () => {
  for (const args of [
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'order-sync.rules.yml'],
    ['test', 'rules', 'order-sync.rules.test.yml'],
  ]) {
    expect(promtool(args), args.join(' ')).toMatchObject({
      status: 0,
      output: expect.stringContaining('SUCCESS'),
    });
  }
});

const dashboard = z
  .object({
    __inputs: z.tuple([z.object({ name: z.literal('DS_PROMETHEUS'), pluginId: z.literal('prometheus') })]),
    panels: z.array(
      z.object({
        id: z.int(),
        title: z.string(),
        datasource: z.object({ uid: z.literal('${DS_PROMETHEUS}') }),
        gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
        targets: z.tuple([z.object({ expr: z.string(), legendFormat: z.string() })]),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(FOLDER, 'dashboard.json'), 'utf8')));
const asked = dashboard.panels.map(({ title, targets: [{ expr, legendFormat }] }) => {
  // What Grafana puts in.
  const plain = expr.replaceAll('$shop', '.*').replaceAll(/\$__\w+/g, '5m');
  return { title, expr: plain, legendFormat };
});

test('each panel of the dashboard has a place of its own, and groups by labels that its metric has', async () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  const text = await ownMetrics(SCRAPE);
  for (const { title, expr, legendFormat } of asked) {
    const [metric = ''] = /order_sync_\w+/.exec(expr) ?? [];
    const [, labels = ''] = new RegExp(`^${metric}\\{(.*)\\}`, 'm').exec(text) ?? [];
    const known = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label);
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    expect(known, title).toEqual(expect.arrayContaining([...grouped, ...shown]));
    expect(grouped, title).toEqual(expect.arrayContaining(shown));
  }
});

test('promtool accepts the queries of the dashboard', WITH_PROMTOOL, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'order-sync-dashboard-'));
  const rules = asked.map(({ expr }, at) => ({ record: `panel:${at}`, expr }));
  // JSON is YAML.
  const text = JSON.stringify({ groups: [{ name: 'dashboard', rules }] });
  await writeFile(join(folder.path, 'rules.yml'), text);
  expect(promtool(['check', 'rules', join(folder.path, 'rules.yml')])).toMatchObject({
    status: 0,
    output: expect.stringContaining(`${asked.length} rules found`),
  });
});
