import { writeFile } from 'node:fs/promises';

import { expect, test } from 'vitest';
import { z } from 'zod';

import { startSimulator } from '../../src/simulator/server.ts';
import { untilSaid } from '../support/command-line.ts';
import { freshDatabase } from '../support/database.ts';
import { openLab, untilEqual, writeShopsFile } from '../support/fleet-lab.ts';
import { until, within } from '../support/until.ts';
import { stop } from '../support/kill.ts';
import { longTest } from '../support/long-test.ts';

const statusOf = z.array(
  z.looseObject({ shop: z.string(), is_complete: z.boolean(), orders: z.number(), days_due: z.number() }),
);

const get = async (url: string) => {
  const response = await fetch(url);
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
};

/** The value of a metric's sample, as Prometheus would read it. */
function sample(text: string, name: string, labels: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name}{${labels}}`));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
}

test('the ops server reports health, metrics, and how complete the shop is', async () => {
  const settings = { freshness: '*:1d', maxRps: 1_000 };
  await using lab = await openLab(await freshDatabase(), 1, { orders: 50, days: 10 }, settings);
  const worker = lab.startWorker();
  const url = await worker.url;
  await untilEqual(lab);
  const isComplete = async () => {
    const [shop] = statusOf.parse(JSON.parse((await get(`${url}/status.json`)).text));
    return shop?.is_complete === true ? true : JSON.stringify(shop);
  };
  await until('the status is complete', isComplete);
  const isCounted = async () => (await get(`${url}/metrics`)).text.includes('found="new"} 50');
  await until('the sweep has ended', isCounted);
  expect(await get(`${url}/livez`)).toMatchObject({ status: 200, text: 'ok\n' });
  expect(await get(`${url}/readyz`)).toMatchObject({ status: 200, text: 'ok\n' });
  const page = await get(`${url}/`);
  expect(page).toMatchObject({ status: 200, type: expect.stringContaining('text/html') });
  expect(page.text).toContain('<title>shop-1 · order-sync</title>');
  expect(page.text).toMatch(/class="state complete">\s*complete/);
  const metrics = await get(`${url}/metrics`);
  expect(metrics).toMatchObject({ status: 200, type: expect.stringContaining('text/plain') });
  const value = (name: string, labels = 'shop="shop-1"') =>
    sample(metrics.text, `order_sync_${name}`, labels);
  expect(value('requests_total', 'shop="shop-1",route="content",outcome="ok"')).toBe(50);
  expect(value('orders_total', 'shop="shop-1",found="new"')).toBe(50);
  expect(value('due')).toBe(0);
  expect(value('seconds_since_complete')).toBeLessThan(3_600);
  expect(value('windows_total', 'shop="shop-1",verdict="proven"')).toBeGreaterThan(0);
  expect(value('concurrency')).toBeGreaterThanOrEqual(2);
  for (const secret of ['simulated-key', 'Basic ', lab.databaseUrl]) {
    for (const { text } of [page, metrics]) expect(text).not.toContain(secret);
  }
  // What the metrics say is well-formed: each is described, and none twice.
  const described = [...metrics.text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  expect(new Set(described).size).toBe(described.length);
  expect(described).toEqual(expect.arrayContaining(['process_cpu_seconds_total', 'order_sync_queue_jobs']));

  // The schema is what the program needs, until it is not.
  await lab.client.query("DELETE FROM ops.migrations WHERE name = 'views/orders'");
  expect(await get(`${url}/readyz`)).toMatchObject({
    status: 503,
    text: expect.stringContaining('views/orders is not applied'),
  });
  await lab.client.query('DROP TABLE ops.migrations');
  expect(await get(`${url}/readyz`)).toMatchObject({
    status: 503,
    text: expect.stringContaining('run order-sync migrate'),
  });
  expect((await get(`${url}/livez`)).status).toBe(200);
  expect((await stop(worker)).code).toBe(0);
});

longTest('SIGHUP makes the worker reload its shops file; an invalid file changes nothing', async () => {
  await using lab = await openLab(await freshDatabase(), 1, { orders: 20, days: 5 }, { maxRps: 1_000 });
  await using added = await startSimulator({ orders: 20, days: 5, seed: 77 });
  const worker = lab.startWorker();
  await worker.url;
  await untilEqual(lab);
  await writeFile(lab.shopsFile, 'shops: [{ key: north }]');
  const said = untilSaid(worker, 'stderr', /settings not reloaded/);
  worker.process.kill('SIGHUP');
  const shops = [...lab.shops, { key: 'shop-2', simulator: added }];
  expect((await within('the mistake is told', said)).input).not.toContain('simulated-key');
  await writeShopsFile(lab.shopsFile, shops, { maxRps: 1_000 });
  worker.process.kill('SIGHUP');
  await untilEqual({ ...lab, shops });
  expect((await stop(worker, 'SIGINT')).code).toBe(0);
});
