/** How well a load finds out the limit of a web server before the shop, and how much of it is used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { HAS_NGINX, startNginx } from '../test/support/nginx.ts';
import type { Bench } from './support/benchmark.ts';
import { openBenchServer } from './support/bench-server.ts';
import { MAIN } from './support/measured-command.ts';
import { plot, thinned } from './support/plot.ts';
import { startShop } from './support/shop-process.ts';

const LATENCY_MS = 50;
const PLOTTED = 24;
const SIXTEEN = { SHOP_MAX_CONCURRENCY: '16', SHOP_MAX_RPS: '1000' };

type Limit = {
  /** Requests a second. */
  readonly rate: number;
  readonly burst: number;
  readonly status: 429 | 503;
  readonly orders: number;
  readonly settings?: Readonly<Record<string, string>>;
};

const LIMITS: readonly Limit[] = [
  { rate: 5, burst: 1, status: 503, orders: 250 },
  { rate: 5, burst: 5, status: 429, orders: 250 },
  { rate: 30, burst: 1, status: 503, orders: 1_000 },
  { rate: 30, burst: 5, status: 429, orders: 1_000, settings: SIXTEEN },
  { rate: 60, burst: 1, status: 503, orders: 3_000, settings: SIXTEEN },
  { rate: 60, burst: 5, status: 503, orders: 3_000, settings: SIXTEEN },
];

export const limits: Bench = {
  title: () => 'Behind a rate limit',
  intro: () =>
    `A backfill through an nginx with \`limit_req\`, which refuses what is too much with a page of HTML and says nothing of when to ` +
    `ask again; the shop behind it takes ${LATENCY_MS} ms for an answer. Nobody tells order-sync the limit. *Used* is what was ` +
    'let through from the first to the last request, beyond the burst, of what the limit lets through. *Over time* shows it for each ' +
    'twenty-fourth of the load, the highest block being the limit. The goal is 92 % used and 5 % refused or less.',
  columns: ['limit/s', 'burst', 'settings', 's', 'used', 'refused', 'exit code', 'rejections', 'over time'],
  async run() {
    if (!HAS_NGINX) return { rows: [], failures: ['nginx is not installed: apt-get install nginx-light'] };
    const rows: string[][] = [];
    for (const limit of LIMITS) rows.push(await measure(limit));
    return { rows };
  },
};

async function measure({ rate, burst, status, orders, settings }: Limit): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'order-sync-limits-'));
  const log = join(folder, 'requests');
  try {
    await using server = await openBenchServer();
    await using shop = await startShop({ orders, latencyMs: LATENCY_MS });
    await using database = await server.emptyDatabase();
    await using nginx = await startNginx(String(shop.env['SHOP_URL']), {
      http:
        `log_format seen '$msec $status'; limit_req_status ${status}; ` +
        `limit_req_zone $binary_remote_addr zone=all:1m rate=${rate}r/s;`,
      location: `limit_req zone=all burst=${burst} nodelay; access_log ${log} seen;`,
    });
    const { SHOP_MAX_CONCURRENCY: _, SHOP_MAX_RPS: __, ...login } = shop.env;
    const env = { ...login, ...settings, SHOP_URL: nginx.url, DATABASE_URL: database.url };
    const child = spawn(process.execPath, [MAIN, 'backfill', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const { rejections } = JSON.parse(output) as { readonly rejections: number };
    const { times, refused } = readLog(await readFile(log, 'utf8'));
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    const perSecond = Array.from({ length: Math.floor(last - first) }, (_, second) => {
      const from = first + second;
      return times.filter((time) => time >= from && time < from + 1).length;
    });
    return [
      String(rate),
      String(burst),
      settings === undefined ? 'the defaults' : '16 at once',
      (last - first).toFixed(0),
      toPercent((times.length - burst) / (rate * (last - first))),
      toPercent(refused / (times.length + refused)),
      String(code),
      String(rejections),
      plot(thinned(perSecond, PLOTTED), rate),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A tenth is worth showing where the goal is a few percent. */
const toPercent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Seconds at which requests were answered by the shop, and the number of those that were refused. */
function readLog(lines: string) {
  const seen = lines
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
  const times = seen.filter(([, status]) => status === '200').map(([at]) => Number(at));
  const refused = seen.filter(([, status]) => status === '429' || status === '503').length;
  return { times: times.toSorted((a, b) => a - b), refused };
}
