/** What one shop that never responds costs the others. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Lab, type LabShop, openLab, untilEqual, writeShopsFile } from '../test/support/fleet-lab.ts';
import { type Bench, sizeOr } from './support/benchmark.ts';
import { type BenchServer, openBenchServer } from './support/bench-server.ts';
import { count } from './support/format.ts';

const SECONDS = 90;
const ORDERS = 60;
const FRESHNESS = '*:1s';

export const fairness: Bench = {
  title: () => 'Next to a shop that never responds',
  intro: ({ seconds }) =>
    `Ten shops that are due every second keep one worker fully busy for ${seconds ?? SECONDS} seconds. The figure is the time between two sweeps ` +
    'of each of nine shops: next to a healthy tenth, and next to a tenth that accepts connections and never responds. The ideal is ' +
    'no difference. A shop that fails for longer is swept less often, and costs less.',
  columns: ['the tenth shop', 's between sweeps', 'sweeps', 'more time'],
  async run(options) {
    await using server = await openBenchServer();
    const rows: string[][] = [];
    let healthy = 0;
    for (const isHole of [false, true]) {
      const watchedS = options.seconds ?? SECONDS;
      const { gap, sweeps } = await timeBetweenSweeps(server, sizeOr(options, ORDERS), watchedS, isHole);
      if (!isHole) healthy = gap;
      const more = isHole ? `${((gap / healthy - 1) * 100).toFixed(1)} %` : '';
      rows.push([isHole ? 'never responds' : 'healthy', gap.toFixed(2), count(sweeps), more]);
    }
    return { rows };
  },
};

type Sweeps = { readonly gap: number; readonly sweeps: number };

/** @returns the mean of the first nine shops, in seconds */
async function timeBetweenSweeps(
  server: BenchServer,
  orders: number,
  watchedS: number,
  isHole: boolean,
): Promise<Sweeps> {
  const shops = { orders, days: 10, latencyMs: 50 };
  await using lab = await openLab(await server.emptyDatabase(), 10, shops, { freshness: FRESHNESS });
  const hole = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(hole, 'listening');
  if (isHole) await digHole(lab, hole.address() as AddressInfo);
  const url = await lab.startWorker().url;
  await untilEqual({ ...lab, shops: lab.shops.slice(0, 9) });
  const before = await countSweeps(url);
  await sleep(watchedS * 1_000);
  const sweeps = (await countSweeps(url)) - before;
  hole.close();
  return { gap: (9 * watchedS) / sweeps, sweeps };
}

/** Sweeps of the first nine shops by the worker until now. */
async function countSweeps(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = [...text.matchAll(/^order_sync_sweeps_total\{shop="([^"]+)".*\} (\d+)$/gm)];
  return samples.reduce((sum, [, shop, value]) => (shop === 'shop-10' ? sum : sum + Number(value)), 0);
}

/** Points the last shop of the file to a server that accepts connections and never responds. */
async function digHole({ shops, shopsFile }: Lab, { port }: AddressInfo): Promise<void> {
  const broken = shops.map((shop, index): LabShop => {
    const url = `http://127.0.0.1:${port}`;
    return index === shops.length - 1 ? { ...shop, simulator: { ...shop.simulator, url } } : shop;
  });
  await writeShopsFile(shopsFile, broken, { freshness: FRESHNESS });
}
