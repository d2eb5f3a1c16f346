/** The same shop into the same server by order-sync, by a plain script and by dlt, by turns. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type BenchServer, openBenchServer } from './database.ts';
import { runMeasured } from './support/measured-command.ts';
import type { Report } from './support/report.ts';
import { type ShopProcess, startShop } from './support/shop-process.ts';
import { interleaved, median } from './support/statistics.ts';
import { measureLoad } from './support/warehouse-runs.ts';

const ORDERS = 5_000;
const ROUNDS = 3;
const PEERS = join(import.meta.dirname, 'peers');
const PYTHON = join(PEERS, '.venv/bin/python');

export async function run(): Promise<Report> {
  const hasDlt = installDlt();
  await using server = await openBenchServer();
  const rows: string[][] = [];
  for (const latencyMs of [50, 0]) {
    await using shop = await startShop({ orders: ORDERS, latencyMs });
    const contestants: Readonly<Record<string, () => Promise<number>>> = {
      'order-sync': async () => (await measureLoad(server, shop)).wallMs,
      'a plain script': () => timeScript(server, shop),
      ...(hasDlt ? { dlt: () => timeDlt(server, shop) } : {}),
    };
    const results = await interleaved(ROUNDS, contestants);
    for (const [name, times] of Object.entries(results)) {
      const seconds = median(times) / 1_000;
      rows.push([`${latencyMs} ms`, name, seconds.toFixed(1), (ORDERS / seconds).toFixed(0)]);
    }
  }
  return {
    title: 'Peers',
    intro:
      `${ORDERS.toLocaleString('en')} orders with their contents and buyers, 16 requests in flight, into empty databases of one server; whole processes. ` +
      `Medians of ${ROUNDS} runs by turns.${hasDlt ? '' : ' dlt was left out: there is no Python with pip here.'}`,
    columns: ['latency', 'reader', 's', 'orders/s'],
    rows,
  };
}

async function timeScript(server: BenchServer, { env }: ShopProcess): Promise<number> {
  await using database = await server.emptyDatabase();
  return (await runMeasured([], { ...env, DATABASE_URL: database.url }, join(PEERS, 'plain-script.ts')))
    .wallMs;
}

async function timeDlt(server: BenchServer, { env }: ShopProcess): Promise<number> {
  await using database = await server.emptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'order-sync-dlt-'));
  const settings = {
    DLT_DATA_DIR: folder,
    EXTRACT__WORKERS: '16',
    EXTRACT__MAX_PARALLEL_ITEMS: '64',
    RUNTIME__DLTHUB_TELEMETRY: 'false',
  };
  const began = performance.now();
  const { status, stderr } = spawnSync(PYTHON, [join(PEERS, 'dlt_shop.py')], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env, ...settings, DATABASE_URL: database.url },
    encoding: 'utf8',
  });
  const wallMs = performance.now() - began;
  await rm(folder, { recursive: true });
  if (status !== 0) throw new Error(`dlt ended with ${status}: ${stderr.slice(-2_000)}`);
  return wallMs;
}

/** @returns whether dlt is there now */
function installDlt(): boolean {
  if (existsSync(PYTHON)) return true;
  try {
    execFileSync('python3', ['-m', 'venv', join(PEERS, '.venv')]);
    execFileSync(PYTHON, ['-m', 'pip', 'install', '--quiet', '-r', join(PEERS, 'requirements.txt')]);
    return true;
  } catch {
    console.log('dlt is left out: no Python 3 with venv and pip is here');
    return false;
  }
}
