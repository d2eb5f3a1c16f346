/** Takes the pictures of docs/images: a worker's pages of simulated shops, wide and narrow, light and dark. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';

import { openBenchServer } from '../bench/support/bench-server.ts';
import { type SimulatorOptions, startSimulator } from '../src/simulator/server.ts';
import { openBrowser, watchFaults } from '../test/support/browser.ts';
import { useProgram } from '../test/support/command-line.ts';
import { type Lab, type LabShop, openLab, writeShopsFile } from '../test/support/fleet-lab.ts';
import { until } from '../test/support/until.ts';

useProgram(join(import.meta.dirname, '../dist'));
const FOLDER = 'docs/images';
const PICTURES = [
  { name: 'shops', path: '/', width: 1280, height: 560 },
  { name: 'shops-narrow', path: '/', width: 420, height: 800 },
  { name: 'shop', path: '/shops/berlin', width: 1280, height: 1380 },
  { name: 'shop-narrow', path: '/shops/berlin', width: 420, height: 1480 },
] as const;

await using stack = new AsyncDisposableStack();
const server = stack.use(await openBenchServer());
const lab = stack.use(await openLab(await server.emptyDatabase(), 0, {}));
const url = await makeScene(lab);
const browser = await openBrowser();
stack.defer(() => browser.close());
await mkdir(FOLDER, { recursive: true });
for (const picture of PICTURES) {
  for (const colorScheme of ['light', 'dark'] as const) await take(browser, picture, colorScheme);
}

/** Shops in different states: complete, with something left out, failing, and in its first load. */
async function makeScene(lab: Lab): Promise<string> {
  const shop = async (key: string, options: SimulatorOptions): Promise<LabShop> => ({
    key,
    simulator: stack.use(await startSimulator(options)),
  });
  const berlin = await shop('berlin', { orders: 4_000, days: 800, seed: 1 });
  const outlet = await shop('outlet', { orders: 300, days: 90, seed: 2 });
  const vienna = await shop('vienna', { orders: 200, days: 120, seed: 3 });
  const loaded = [berlin, outlet, vienna];
  const freshness = '3d:2s, 60d:6h, 400d:1d, *:7d';
  await writeShopsFile(lab.shopsFile, loaded, { maxRps: 5_000, freshness });
  const worker = lab.startWorker({ SYNC_CRON: '* * * * * *' });
  const address = await worker.url;
  await untilComplete(lab, loaded.length);
  const newest = berlin.simulator.shop.orders().at(-1);
  berlin.simulator.shop.tick(undefined, { newOrders: 5, edits: 150 });
  if (newest !== undefined) berlin.simulator.shop.setRaw(newest.orderId, { summ: 'on request' });
  outlet.simulator.faults.failNext(Infinity, 'http-401');
  const paris = await shop('paris', { orders: 3_000, days: 500, seed: 4 });
  await writeShopsFile(lab.shopsFile, [...loaded, paris], { maxRps: 40, freshness });
  worker.process.kill('SIGHUP');
  await until('a shop is failing, and one is being loaded', async () => {
    const page = await (await fetch(`${address}/`)).text();
    return page.includes('state failing') && /shops\/paris"[^]*?state catching-up/.test(page);
  });
  return address;
}

async function untilComplete({ client }: Lab, shops: number): Promise<void> {
  await until('every shop is complete', async () => {
    const { rows } = await client.query<{ shops: number }>(
      'SELECT count(*)::int AS shops FROM ops.shop_state WHERE completed_at IS NOT NULL',
    );
    return rows[0]?.shops === shops;
  });
}

async function take(
  browser: Browser,
  { name, path, width, height }: (typeof PICTURES)[number],
  colorScheme: 'light' | 'dark',
): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  const faults = watchFaults(page);
  await page.goto(`${url}${path}`);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
  await page.close();
  if (faults.length > 0) throw new Error(`${path}: ${faults.join('; ')}`);
}
